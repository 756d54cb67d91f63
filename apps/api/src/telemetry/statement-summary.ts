export interface StatementSummary {
  /** The first write of the statement, or else its first word, in capitals. */
  readonly operation: string;
  /** The table of the write, or else the first table that is read. */
  readonly table: string | undefined;
}

const UNKNOWN = 'STATEMENT';
/** Words before UPDATE in clauses of other statements: `for update`, `for no key update`, `do update`. */
const NO_UPDATE_AFTER = new Set(['FOR', 'KEY', 'DO']);

/** Summarizes a statement. A common table expression may contain the write, so words in parentheses count, too. */
export function summarize(text: string): StatementSummary {
  const words = wordsOf(text);
  const capitals = words.map((word) => word.toUpperCase());
  for (const [index, word] of capitals.entries()) {
    const next = capitals[index + 1];
    if ((word === 'INSERT' && next === 'INTO') || (word === 'DELETE' && next === 'FROM'))
      return { operation: word, table: words[index + 2] };
    if (word === 'UPDATE' && !NO_UPDATE_AFTER.has(capitals[index - 1] ?? '') && next !== undefined)
      return { operation: word, table: words[index + 1] };
  }
  const [first = UNKNOWN] = capitals.filter((word) => word !== '(');
  return { operation: first === 'WITH' ? 'SELECT' : first, table: readTable(words, capitals) };
}

/** Skips subqueries, functions such as `json_to_recordset(…)`, `is distinct from`, and `extract(epoch from …)`. */
function readTable(words: readonly string[], capitals: readonly string[]): string | undefined {
  const isTable = (index: number): boolean =>
    capitals[index - 1] === 'FROM' &&
    capitals[index - 2] !== 'DISTINCT' &&
    capitals[index - 4] !== 'EXTRACT' &&
    words[index] !== '(' &&
    words[index + 1] !== '(';
  return words.find((_, index) => isTable(index));
}

/** Returns the words, and `(` for each opening parenthesis. Skips comments and quoted texts. */
function wordsOf(statement: string): string[] {
  const text = withoutComments(statement);
  const words: string[] = [];
  let start = -1;
  let quote = '';
  for (let index = 0; index <= text.length; index += 1) {
    const character = text[index] ?? ' ';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (isWordCharacter(character)) {
      if (start === -1) start = index;
    } else {
      if (start !== -1) words.push(text.slice(start, index));
      start = -1;
      if (character === "'" || character === '"') quote = character;
      if (character === '(') words.push(character);
    }
  }
  return words;
}

/** Statements of the service have comments only in the form of `/* … *\/`. */
function withoutComments(text: string): string {
  const start = text.indexOf('/*');
  if (start === -1) return text;
  const end = text.indexOf('*/', start + 2);
  return end === -1 ? text.slice(0, start) : `${text.slice(0, start)} ${withoutComments(text.slice(end + 2))}`;
}

function isWordCharacter(character: string): boolean {
  return (
    (character >= 'a' && character <= 'z') ||
    (character >= 'A' && character <= 'Z') ||
    (character >= '0' && character <= '9') ||
    character === '_'
  );
}
