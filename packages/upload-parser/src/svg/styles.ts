import { FUNCTIONS, PROPERTIES } from './allow-lists.js';

const LOCAL_URL = /(?<![\w-])url\(\s*(["']?)#([^"'()\s\\]+)\1\s*\)/gi;
/** Matches escapes, and characters that could end a style or start other content. */
const FORBIDDEN = /[\\@{}<]|\/\*|(?:javascript|vbscript|data|https?|ftp|file)\s*:/i;
const SELECTOR = /^[\w\s.#,*>+~:()\u0080-\uffff-]+$/;
const MAX_FUNCTION_LENGTH = 64;
const MAX_FUNCTIONS = 10_000;

/** Returns true when a CSS or attribute value refers to nothing outside the drawing. */
export function isSafeValue(value: string): boolean {
  return !value.includes('>') && hasSafeText(value);
}

function hasSafeText(text: string): boolean {
  if (FORBIDDEN.test(text) || !isBalanced(text)) return false;
  const withoutLocalUrls = text.replaceAll(LOCAL_URL, ' ');
  let functionCount = 0;
  for (let at = withoutLocalUrls.indexOf('('); at >= 0; at = withoutLocalUrls.indexOf('(', at + 1)) {
    functionCount += 1;
    if (functionCount > MAX_FUNCTIONS || !FUNCTIONS.has(functionBefore(withoutLocalUrls, at))) return false;
  }
  return true;
}

export function idsIn(value: string): string[] {
  return value.includes('#') ? Array.from(value.matchAll(LOCAL_URL), ([, , id = '']) => id) : [];
}

export function filterDeclarations(style: string): string {
  const allowedDeclarations: string[] = [];
  for (const declaration of splitAt(';', removeComments(style))) {
    const colon = declaration.indexOf(':');
    const [property, value] = [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()];
    if (colon > 0 && value !== '' && PROPERTIES.has(property) && isSafeValue(value))
      allowedDeclarations.push(`${property}:${value}`);
  }
  return allowedDeclarations.join(';');
}

export interface StyleRule {
  readonly selector: string;
  readonly declarations: string;
}

/** Returns the allowed rules of a style sheet. Drops at-rules and nested rules. */
export function filterRules(sheet: string): StyleRule[] {
  const rules: StyleRule[] = [];
  const text = removeComments(sheet);
  for (let at = 0, open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
    const end = endOfBlock(text, open);
    const prelude = text.slice(at, open);
    // The text before the selector may contain a statement without a block, such as an import.
    const selector = prelude.slice(prelude.lastIndexOf(';') + 1).trim();
    const declarations = filterDeclarations(text.slice(open + 1, end));
    if (SELECTOR.test(selector) && hasSafeText(selector) && declarations !== '') rules.push({ selector, declarations });
    at = end + 1;
  }
  return rules;
}

/** Also removes an unclosed comment, up to the end of the text. */
function removeComments(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf('/*'); at >= 0; at = text.indexOf('/*', from)) {
    pieces.push(text.slice(from, at));
    const end = text.indexOf('*/', at + 2);
    from = end < 0 ? text.length : end + 2;
  }
  return [...pieces, text.slice(from)].join(' ');
}

function endOfBlock(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

function splitAt(separator: string, text: string): string[] {
  const parts: string[] = [];
  let [from, quote, depth] = [0, '', 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === separator && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** Returns false for unbalanced quotes or brackets, because they would hide the text after the value. */
function isBalanced(value: string): boolean {
  if (!/["'()]/.test(value)) return true;
  let [quote, depth] = ['', 0];
  for (const character of value) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return quote === '' && depth === 0;
}

/** Searches backwards, because a pattern over the whole value would need quadratic time. */
function functionBefore(value: string, at: number): string {
  const precedingText = value.slice(Math.max(0, at - MAX_FUNCTION_LENGTH), at).trimEnd();
  return (precedingText.split(/[\s"'(),;:/]/).at(-1) ?? '').toLowerCase();
}
