/**
 * Negative result of a rule. `refused` is a message key of the API (`API.<Area>.<Rule>`) or plain text. `field` is the
 * invalid field.
 */
export interface Refusal {
  readonly refused: string;
  readonly field?: string;
  /** Invalid values that the answer shows beside the key. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Facts for a program, such as the available quantity. Amounts are minor units. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function refuse(refused: string, field?: string): Refusal {
  return field === undefined ? { refused } : { refused, field };
}

const MAX_SHOWN_LENGTH = 255;

/** Refuses a value and shows its first 255 characters. A missing value is shown as null. */
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
