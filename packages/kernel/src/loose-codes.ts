/** People type codes of coupons and vouchers, so these match without case and outer spaces. */
export function looseCode(code: string): string {
  return code.trim().toLowerCase();
}

/** Returns the item with exactly this code, else the only one with this code without case and outer spaces. */
export function findByLooseCode<Item extends { readonly code: string }>(
  items: readonly Item[],
  code: string,
): Item | undefined {
  const exact = items.find((item) => item.code === code);
  if (exact) return exact;
  const [match, ...otherMatches] = items.filter((item) => looseCode(item.code) === looseCode(code));
  return otherMatches.length === 0 ? match : undefined;
}
