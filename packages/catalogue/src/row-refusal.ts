/** Thrown to end the planning of a row. */
export class RowRefusal extends Error {
  private static readonly refusals = new Map<string, RowRefusal>();

  /** Reuses one error per key, because capturing a stack takes longer than planning a row. */
  static of(key: string): RowRefusal {
    const refusal = RowRefusal.refusals.get(key) ?? new RowRefusal(key);
    RowRefusal.refusals.set(key, refusal);
    return refusal;
  }

  private constructor(readonly key: string) {
    super(key);
  }
}
