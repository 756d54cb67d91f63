/**
 * The shortest list found that still fails, by delta debugging: leaves out halves, then smaller and smaller parts, at last
 * single entries. `isFailing` is asked at most `maxTries` times.
 */
export async function shrink<Item>(
  items: readonly Item[],
  isFailing: (items: readonly Item[]) => Promise<boolean>,
  maxTries: number,
): Promise<readonly Item[]> {
  let kept = items;
  let tries = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && tries < maxTries;) {
    let hasShrunk = false;
    // From the end: what comes late depends on what comes early.
    for (let end = kept.length; end > 0 && tries < maxTries; end -= size) {
      const start = Math.max(0, end - size);
      const candidate = [...kept.slice(0, start), ...kept.slice(end)];
      if (candidate.length === 0) continue;
      tries += 1;
      if (!(await isFailing(candidate))) continue;
      kept = candidate;
      hasShrunk = true;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (!hasShrunk) break;
  }
  return kept;
}
