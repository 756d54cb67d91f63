import { tokensOf, type Token } from './common-table-expressions.js';

const ITEM_STARTS: ReadonlySet<string> = new Set(['from', 'join', 'using']);
const ITEM_PREFIXES: ReadonlySet<string> = new Set(['lateral', 'only']);
const LIST_ENDS: ReadonlySet<string> = new Set([
  'where',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'union',
  'select',
  'returning',
  'for',
  'set',
]);

/**
 * Returns the names in FROM lists that are not functions. May also return a word that is no table, such as `x` in
 * `is distinct from x`.
 */
export function tablesRead(body: string): string[] {
  const tokens = tokensOf(body);
  return tableTokens(tokens).map((index) => (tokens[index] as Token).text);
}

/** Returns the positions of these names in the list of tokens. */
export function tableTokens(tokens: readonly Token[]): number[] {
  const found: number[] = [];
  const lists = [{ isOpen: false }];
  let expectsItem = false;
  for (const [index, { text }] of tokens.entries()) {
    if (expectsItem && ITEM_PREFIXES.has(text)) continue;
    if (expectsItem && isName(text) && !isFunction(tokens, index)) found.push(index);
    const list = lists.at(-1) as { isOpen: boolean };
    if (ITEM_STARTS.has(text)) list.isOpen = true;
    else if (LIST_ENDS.has(text)) list.isOpen = false;
    expectsItem = ITEM_STARTS.has(text) || (text === ',' && list.isOpen);
    if (text === '(') lists.push({ isOpen: false });
    if (text === ')' && lists.length > 1) lists.pop();
  }
  return found;
}

function isName(text: string): boolean {
  return /^[a-z_"]/.test(text);
}

function isFunction(tokens: readonly Token[], index: number): boolean {
  return tokens[index + 1]?.text === '(';
}
