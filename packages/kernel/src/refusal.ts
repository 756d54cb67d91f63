/**
 * The negative answer of a rule. `refused` is a message key of the API (`API.<Area>.<What>`) or plain text. `field` names
 * the invalid field, if there is one.
 */
export interface Refusal {
  readonly refused: string;
  readonly field?: string;
  /** The invalid values by field, shown beside the key. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export function refuse(refused: string, field?: string): Refusal {
  return field === undefined ? { refused } : { refused, field };
}

const MAX_SHOWN_LENGTH = 255;

/** Refuses a value and shows it, truncated; a missing value is shown as null. */
export function refuseValue(refused: string, field: string, value: unknown): Refusal {
  return { refused, values: { [field]: truncate(value ?? null) } };
}

function truncate(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_SHOWN_LENGTH ? value : [...text].slice(0, MAX_SHOWN_LENGTH).join('');
}

export function isRefusal(outcome: unknown): outcome is Refusal {
  return typeof outcome === 'object' && outcome !== null && 'refused' in outcome;
}
