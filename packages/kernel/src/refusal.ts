/**
 * A rule's answer "no". `refused` is a message key of the interface (`API.<Area>.<What>`) or its plain text;
 * `field` names the field of the sent object that broke the rule, when it is one field's fault.
 */
export interface Refusal {
  readonly refused: string;
  readonly field?: string;
  /** The values that broke the rule, by the field in which they were sent; shown beside the key. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export function refuse(refused: string, field?: string): Refusal {
  return field === undefined ? { refused } : { refused, field };
}

const LONGEST_SHOWN = 255;

/** Refuses a value and shows it, or its beginning when it is long; one that was not sent is shown as null. */
export function refuseValue(refused: string, field: string, value: unknown): Refusal {
  return { refused, values: { [field]: shown(value ?? null) } };
}

function shown(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? value : [...text].slice(0, LONGEST_SHOWN).join('');
}

export function isRefusal(outcome: unknown): outcome is Refusal {
  return typeof outcome === 'object' && outcome !== null && 'refused' in outcome;
}
