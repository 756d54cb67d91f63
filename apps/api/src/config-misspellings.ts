export interface Misspelling {
  readonly name: string;
  /** The known variable that is nearest to the name. */
  readonly suggestion: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const MIN_LENGTH = 6;
const MAX_EDITS = 2;

/** Variables of other programs that are within two letters of a known variable. */
const FOREIGN_NAMES = new Set(['BROKER', 'DOCKER', 'PGDATABASE', 'WORKDIR']);

/** Value that Kubernetes and Docker give to variables such as `WORKERS_PORT` for a service named `workers`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** Finds variables with a value whose names are one or two letters from a known one. */
export function findMisspellings(environment: Environment, knownNames: readonly string[]): Misspelling[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (value === '' || SERVICE_LINK.test(value) || name.length < MIN_LENGTH) return [];
    if (knownNames.includes(name) || FOREIGN_NAMES.has(name)) return [];
    const suggestion = findNearest(name, knownNames);
    return suggestion === undefined ? [] : [{ name, suggestion }];
  });
}

function findNearest(name: string, knownNames: readonly string[]): string | undefined {
  const candidates = knownNames.map((known) => ({ known, edits: countEdits(name, known) }));
  const near = candidates.filter(({ known, edits }) => edits <= maxEditsOf(known));
  return near.sort((a, b) => a.edits - b.edits)[0]?.known;
}

/** Two edits of a short name make another word: `PORT` is two letters from `REPORT`. */
function maxEditsOf(known: string): number {
  return known.length < MIN_LENGTH ? 1 : MAX_EDITS;
}

/**
 * Returns how many letters to insert, delete, replace or swap with their neighbour (optimal string alignment); `Infinity`
 * if the lengths differ by more than the maximum.
 */
function countEdits(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return Infinity;
  let [beforePrevious, previous]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, index) => index),
  ];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          at(previous, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(beforePrevious, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
