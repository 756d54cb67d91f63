/** Sorts each run of neighbours for which `belongTogether` is true. The runs themselves stay in order. */
export function sortRuns<Item>(
  items: readonly Item[],
  belongTogether: (left: Item, right: Item) => boolean,
  keyOf: (item: Item) => string,
): Item[] {
  return splitIntoRuns(items, belongTogether).flatMap((run) => run.sort((a, b) => keyOf(a).localeCompare(keyOf(b))));
}

export function splitIntoRuns<Item>(
  items: readonly Item[],
  belongTogether: (left: Item, right: Item) => boolean,
): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run && belongTogether(run[0] as Item, item)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}
