/** Unique name of a column, parameter or constant of a statement. */
export type Value = string;

/** When all of `from` equal a parameter or constant, so does `to`. */
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

export function column(range: number, position: number): Value {
  return `${range}.${position}`;
}

/** All values equal to the root, transitively. */
export function tiedTo(root: Value, ties: readonly Tie[]): ReadonlySet<Value> {
  const tied = new Set([root]);
  for (let before = 0; before < tied.size;) {
    before = tied.size;
    for (const { from, to } of ties) if (from.every((value) => tied.has(value))) tied.add(to);
  }
  return tied;
}

/** Parameters and constants of the ties. */
export function rootsOf(ties: readonly Tie[]): ReadonlySet<Value> {
  return new Set(ties.flatMap(({ from }) => from).filter((value) => /^[$=]/.test(value)));
}

/** Ties of an equality; none when a side is unknown. All values of a side are equal. */
export function tiesOfEqual(left: readonly Value[] | undefined, right: readonly Value[] | undefined): Tie[] {
  if (!left || !right) return [];
  return [...left.map((to) => ({ from: right, to })), ...right.map((to) => ({ from: left, to }))];
}

/** Ties common to all alternatives. */
export function tiesOfEither(alternatives: readonly (readonly Tie[])[]): Tie[] {
  const [first = [], ...others] = alternatives;
  const keyOf = ({ from, to }: Tie): string => [...from, to].join();
  const keys = others.map((ties) => new Set(ties.map(keyOf)));
  return first.filter((tie) => keys.every((each) => each.has(keyOf(tie))));
}

/** Ties to columns of these ranges. */
export function onlyOf(ranges: readonly { readonly id: number }[], ties: readonly Tie[]): Tie[] {
  return ties.filter(({ to }) => ranges.some(({ id }) => to.startsWith(`${id}.`)));
}
