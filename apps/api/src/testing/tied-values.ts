/** A column of one table or query in a statement, a parameter, or a constant, each under a name of its own. */
export type Value = string;

/** What a condition says: when each of `from` is equal to a parameter or a constant, so is `to`. */
export interface Tie {
  readonly from: readonly Value[];
  readonly to: Value;
}

export function parameter(number: number): Value {
  return `$${number}`;
}

export function constant(text: string): Value {
  return `=${text}`;
}

export function column(range: number, place: number): Value {
  return `${range}.${place}`;
}

/** What is equal to the root, by whatever detours. */
export function tiedTo(root: Value, ties: readonly Tie[]): ReadonlySet<Value> {
  const tied = new Set([root]);
  for (let before = 0; before < tied.size;) {
    before = tied.size;
    for (const { from, to } of ties) if (from.every((value) => tied.has(value))) tied.add(to);
  }
  return tied;
}

/** The parameters and constants that anything is tied to. */
export function rootsOf(ties: readonly Tie[]): ReadonlySet<Value> {
  return new Set(ties.flatMap(({ from }) => from).filter((value) => /^[$=]/.test(value)));
}

/** What an equality says, if its sides are known; a side of several values has all of them alike. */
export function tiesOfEqual(left: readonly Value[] | undefined, right: readonly Value[] | undefined): Tie[] {
  if (!left || !right) return [];
  return [...left.map((to) => ({ from: right, to })), ...right.map((to) => ({ from: left, to }))];
}

/** What holds whichever of the alternatives does. */
export function tiesOfEither(alternatives: readonly (readonly Tie[])[]): Tie[] {
  const [first = [], ...others] = alternatives;
  const keyOf = ({ from, to }: Tie): string => [...from, to].join();
  const keys = others.map((ties) => new Set(ties.map(keyOf)));
  return first.filter((tie) => keys.every((each) => each.has(keyOf(tie))));
}

/** Those that say something of a column of one of the ranges. */
export function onlyOf(ranges: readonly { readonly id: number }[], ties: readonly Tie[]): Tie[] {
  return ties.filter(({ to }) => ranges.some(({ id }) => to.startsWith(`${id}.`)));
}
