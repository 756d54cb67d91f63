/** Work that its caller may interrupt at each `yield`. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

const ITEMS_PER_STEP = 64;

/** Maps the items in order. */
export function* mapSteps<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (results.length % ITEMS_PER_STEP === 0) yield;
  }
  return results;
}

/** Makes a JSON list. */
export function* jsonSteps<Item>(items: readonly Item[], toRow: (item: Item) => unknown): Steps<string> {
  const texts = yield* mapSteps(items, (item) => JSON.stringify(toRow(item)));
  return `[${texts.join(',')}]`;
}

/** Runs the work to its end at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const SLICE_MS = 20;

export interface EventLoop {
  nowMs(): number;
  /** Resolves after other work of the process has run. */
  nextPass(): Promise<unknown>;
}

/** Runs the work in slices of 20 ms, so that a large call does not stop the other calls of the process. */
export async function runStepsInSlices<Result>(steps: Steps<Result>, loop: EventLoop): Promise<Result> {
  // The first slice ends soon, because the caller may have worked before.
  let endMs = loop.nowMs();
  let step = steps.next();
  while (!step.done) {
    if (loop.nowMs() >= endMs) {
      await loop.nextPass();
      endMs = loop.nowMs() + SLICE_MS;
    }
    step = steps.next();
  }
  return step.value;
}
