import { FUNCTIONS, PROPERTIES } from './names.js';

const LOCAL = /(?<![\w-])url\(\s*(["']?)#([^"'()\s\\]+)\1\s*\)/gi;
/** Escapes, and what could end a style or begin something else in it. */
const NEVER = /[\\@{}<]|\/\*|(?:javascript|vbscript|data|https?|ftp|file)\s*:/i;
const SELECTOR = /^[\w\s.#,*>+~:()\u0080-\uffff-]+$/;
const LONGEST_FUNCTION = 64;

/** Whether a value of CSS or of an attribute reaches for nothing but what is in the drawing. */
export function isHarmlessValue(value: string): boolean {
  return !value.includes('>') && isHarmless(value);
}

function isHarmless(text: string): boolean {
  if (NEVER.test(text) || !isBalanced(text)) return false;
  const others = text.replaceAll(LOCAL, ' ');
  for (let at = others.indexOf('('); at >= 0; at = others.indexOf('(', at + 1)) {
    if (!FUNCTIONS.has(functionBefore(others, at))) return false;
  }
  return true;
}

/** The ids that a value points at by `url(#id)`. */
export function idsIn(value: string): string[] {
  return value.includes('#') ? Array.from(value.matchAll(LOCAL), ([, , id = '']) => id) : [];
}

/** Declarations of a style without those that are not known to be harmless. */
export function harmlessDeclarations(style: string): string {
  const kept: string[] = [];
  for (const declaration of partedAt(';', withoutComments(style))) {
    const colon = declaration.indexOf(':');
    const [property, value] = [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()];
    if (colon > 0 && value !== '' && PROPERTIES.has(property) && isHarmlessValue(value))
      kept.push(`${property}:${value}`);
  }
  return kept.join(';');
}

export interface StyleRule {
  readonly selector: string;
  readonly declarations: string;
}

/** The rules of a style sheet that are known to be harmless: no at-rules, and nothing that is nested. */
export function harmlessRules(sheet: string): StyleRule[] {
  const rules: StyleRule[] = [];
  const text = withoutComments(sheet);
  for (let at = 0, open = text.indexOf('{'); open >= 0; open = text.indexOf('{', at)) {
    const end = endOfBlock(text, open);
    const before = text.slice(at, open);
    // A statement without a block, such as an import, may stand before.
    const selector = before.slice(before.lastIndexOf(';') + 1).trim();
    const declarations = harmlessDeclarations(text.slice(open + 1, end));
    if (SELECTOR.test(selector) && isHarmless(selector) && declarations !== '') rules.push({ selector, declarations });
    at = end + 1;
  }
  return rules;
}

/** One that is not closed reaches to the end. */
function withoutComments(text: string): string {
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

/** The parts between separators that do not stand in quotes or brackets. */
function partedAt(separator: string, text: string): string[] {
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

/** Otherwise what follows it would become a part of it. */
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

/** Looked for backwards: a pattern over the whole value would take quadratic time. */
function functionBefore(value: string, at: number): string {
  const before = value.slice(Math.max(0, at - LONGEST_FUNCTION), at).trimEnd();
  return (/[^\s"'(),;:/]*$/.exec(before)?.[0] ?? '').toLowerCase();
}
