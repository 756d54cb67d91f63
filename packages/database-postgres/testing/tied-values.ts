export type Value = string;

/** If all values of `from` equal the same parameter or constant, `to` also equals it. */
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

export function findTiedValues(root: Value, ties: readonly Tie[]): ReadonlySet<Value> {
  const tiedValues = new Set([root]);
  for (let previousSize = 0; previousSize < tiedValues.size;) {
    previousSize = tiedValues.size;
    for (const { from, to } of ties) if (from.every((value) => tiedValues.has(value))) tiedValues.add(to);
  }
  return tiedValues;
}

export function rootsOf(ties: readonly Tie[]): ReadonlySet<Value> {
  return new Set(ties.flatMap(({ from }) => from).filter((value) => /^[$=]/.test(value)));
}

export function tiesOfEqual(left: readonly Value[] | undefined, right: readonly Value[] | undefined): Tie[] {
  if (!left || !right) return [];
  return [...left.map((to) => ({ from: right, to })), ...right.map((to) => ({ from: left, to }))];
}

export function commonTies(alternatives: readonly (readonly Tie[])[]): Tie[] {
  const [firstTies = [], ...otherAlternatives] = alternatives;
  const keyOf = ({ from, to }: Tie): string => [...from, to].join();
  const keys = otherAlternatives.map((ties) => new Set(ties.map(keyOf)));
  return firstTies.filter((tie) => keys.every((keysOfOther) => keysOfOther.has(keyOf(tie))));
}

export function tiesToSources(sources: readonly { readonly id: number }[], ties: readonly Tie[]): Tie[] {
  return ties.filter(({ to }) => sources.some(({ id }) => to.startsWith(`${id}.`)));
}
