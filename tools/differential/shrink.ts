/**
 * Drops entries of a failing list while it still fails: first halves, then smaller parts, then single entries. Stops
 * after `maxTries` calls of `isFailing`.
 */
export async function shrink<Item>(
  items: readonly Item[],
  isFailing: (items: readonly Item[]) => Promise<boolean>,
  maxTries: number,
): Promise<readonly Item[]> {
  let shortest = items;
  let tries = 0;
  for (let size = Math.ceil(shortest.length / 2); size >= 1 && tries < maxTries;) {
    let hasShrunk = false;
    // Later entries depend on earlier ones, so entries are dropped from the end.
    for (let end = shortest.length; end > 0 && tries < maxTries; end -= size) {
      const start = Math.max(0, end - size);
      const candidate = [...shortest.slice(0, start), ...shortest.slice(end)];
      if (candidate.length === 0) continue;
      tries += 1;
      if (!(await isFailing(candidate))) continue;
      shortest = candidate;
      hasShrunk = true;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (!hasShrunk) break;
  }
  return shortest;
}
