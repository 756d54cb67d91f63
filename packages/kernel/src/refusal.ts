/**
 * A rule's answer "no". `refused` is a message key of the interface (`API.<Area>.<What>`) or its plain text;
 * `field` names the field of the sent object that broke the rule, when it is one field's fault.
 */
export interface Refusal {
  readonly refused: string;
  readonly field?: string;
}

export function refuse(refused: string, field?: string): Refusal {
  return field === undefined ? { refused } : { refused, field };
}

export function isRefusal(outcome: unknown): outcome is Refusal {
  return typeof outcome === 'object' && outcome !== null && 'refused' in outcome;
}
