/** Pairs each value of the left side with one value of the right side, for a whole run. */
export class Bijection {
  private readonly toRight = new Map<string, string>();
  private readonly toLeft = new Map<string, string>();

  /** Pairs the values if neither has a partner. Returns whether they are partners. */
  pair(kind: string, left: unknown, right: unknown): boolean {
    const [leftKey, rightKey] = [`${kind} ${String(left)}`, `${kind} ${String(right)}`];
    const [partnerOfLeft, partnerOfRight] = [this.toRight.get(leftKey), this.toLeft.get(rightKey)];
    if (partnerOfLeft === undefined && partnerOfRight === undefined) {
      this.toRight.set(leftKey, rightKey);
      this.toLeft.set(rightKey, leftKey);
      return true;
    }
    return partnerOfLeft === rightKey && partnerOfRight === leftKey;
  }

  isPair(kind: string, left: unknown, right: unknown): boolean {
    return this.toRight.get(`${kind} ${String(left)}`) === `${kind} ${String(right)}`;
  }

  partner(kind: string, left: unknown): string | undefined {
    return this.toRight.get(`${kind} ${String(left)}`)?.slice(kind.length + 1);
  }
}
