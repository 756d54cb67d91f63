export interface Token {
  readonly text: string;
  readonly position: number;
}

export interface CommonTableExpression {
  readonly name: string;
  readonly body: string;
}

export interface WithStatement {
  readonly expressions: readonly CommonTableExpression[];
  /** The statement after its CTEs. */
  readonly main: string;
}

const TOKENS = /'[^']*'|"[^"]*"|--[^\n]*|\/\*.*?\*\/|\$\d+|\w+|[^\s\w]/gs;

/** Returns words, parameters, strings and single other characters, without comments. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKENS)]
    .map((match) => ({ text: match[0], position: match.index }))
    .filter((token) => !token.text.startsWith('--') && !token.text.startsWith('/*'));
}

/** Splits a statement that begins with WITH. Returns `undefined` for any other statement. */
export function readWithStatement(text: string): WithStatement | undefined {
  const tokens = tokensOf(text);
  if (tokens[0]?.text !== 'with') return undefined;
  const expressions: CommonTableExpression[] = [];
  let index = 0;
  do {
    const name = tokens[index + 1];
    const start = startOfBody(tokens, index + 2);
    const end = start && endOfParentheses(tokens, start);
    if (name === undefined || start === undefined || end === undefined)
      throw new Error(`The WITH list of this statement cannot be read: ${text}`);
    const [open, close] = [tokens[start] as Token, tokens[end] as Token];
    expressions.push({ name: name.text, body: text.slice(open.position + 1, close.position) });
    index = end + 1;
  } while (tokens[index]?.text === ',');
  return { expressions, main: text.slice(tokens[index]?.position) };
}

/** Returns the index of the parenthesis after AS, MATERIALIZED or NOT MATERIALIZED. */
function startOfBody(tokens: readonly Token[], position: number): number | undefined {
  if (tokens[position]?.text !== 'as') return undefined;
  let index = position + 1;
  while (tokens[index]?.text === 'not' || tokens[index]?.text === 'materialized') index += 1;
  return tokens[index]?.text === '(' ? index : undefined;
}

function endOfParentheses(tokens: readonly Token[], start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const { text } = tokens[index] as Token;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}
