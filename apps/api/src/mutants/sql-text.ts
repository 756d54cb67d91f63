import type { Range } from './syntax.js';

/** SQL, with what it quotes and what code puts into it masked by letters of the same length. */
export class SqlText {
  readonly mask: string;

  constructor(readonly text: string) {
    this.mask = masked(text);
  }

  slice({ start, end }: Range): string {
    return this.text.slice(start, end);
  }

  matches(pattern: RegExp): RegExpExecArray[] {
    return [...this.mask.matchAll(pattern)];
  }

  /** From here to the end of the clause: a word that begins another, or the parenthesis that closes what it is in. */
  clauseFrom(start: number, ends: RegExp): Range {
    for (const { at, depth } of this.positions(start)) {
      if (depth < 0 || this.mask[at] === ';') return { start, end: at };
      if (depth === 0 && this.isWordStart(at) && ends.test(this.mask.slice(at))) return { start, end: at };
    }
    return { start, end: this.mask.length };
  }

  /** The parts of a range between separators that are in no parentheses. */
  split({ start, end }: Range, separator: RegExp): Range[] {
    const parts: Range[] = [];
    let begun = start;
    for (const { at, depth } of this.positions(start)) {
      if (at >= end) break;
      const isBetween = depth === 0 && at >= begun;
      const [found] = (isBetween ? separator.exec(this.mask.slice(at, end)) : null) ?? [''];
      if (found === '') continue;
      parts.push({ start: begun, end: at });
      begun = at + found.length;
    }
    return [...parts, { start: begun, end }].map((each) => this.trimmed(each));
  }

  /** How many parentheses open between here and there are still open there. */
  depthBetween(start: number, end: number): number {
    let last = 0;
    for (const { at, depth } of this.positions(start)) {
      if (at > end) break;
      last = depth;
    }
    return last;
  }

  trimmed({ start, end }: Range): Range {
    const text = this.text.slice(start, end);
    return { start: start + text.length - text.trimStart().length, end: end - (text.length - text.trimEnd().length) };
  }

  private isWordStart(at: number): boolean {
    return !/\w/.test(this.mask[at - 1] ?? ' ');
  }

  private *positions(start: number): Generator<{ readonly at: number; readonly depth: number }> {
    let depth = 0;
    for (let at = start; at < this.mask.length; at += 1) {
      const sign = this.mask[at];
      const word = this.isWordStart(at) ? (/^(?:case|end)\b/.exec(this.mask.slice(at, at + 5))?.[0] ?? '') : '';
      if (sign === ')' || sign === ']' || word === 'end') depth -= 1;
      yield { at, depth };
      if (sign === '(' || sign === '[' || word === 'case') depth += 1;
    }
  }
}

function masked(text: string): string {
  let mask = '';
  for (let at = 0; at < text.length;) {
    const length = lengthOfOpaque(text, at);
    mask += length === 0 ? text[at] : text.startsWith('--', at) ? ' '.repeat(length) : 'q'.repeat(length);
    at += Math.max(length, 1);
  }
  return mask;
}

function lengthOfOpaque(text: string, at: number): number {
  if (text[at] === "'") return (/^'[^']*'?/.exec(text.slice(at)) ?? [''])[0].length;
  if (text.startsWith('--', at)) return (/^--[^\n]*/.exec(text.slice(at)) ?? [''])[0].length;
  if (!text.startsWith('${', at)) return 0;
  let depth = 0;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}' && (depth -= 1) === 0) return end + 1 - at;
  }
  return text.length - at;
}
