/** Compares ids by value: 9 comes before 10. */
const { compare: compareNumerically } = new Intl.Collator('en', { numeric: true });

/** Sorts each run of neighbours for which `areNeighbours` is true. The runs themselves stay in order. */
export function sortRuns<Item>(
  items: readonly Item[],
  areNeighbours: (left: Item, right: Item) => boolean,
  keyOf: (item: Item) => string,
): Item[] {
  return splitIntoRuns(items, areNeighbours).flatMap((run) =>
    run.sort((a, b) => compareNumerically(keyOf(a), keyOf(b))),
  );
}

export function splitIntoRuns<Item>(
  items: readonly Item[],
  areNeighbours: (left: Item, right: Item) => boolean,
): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run && areNeighbours(run[0] as Item, item)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}
