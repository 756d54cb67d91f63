import type { Range } from './syntax.js';

/** An SQL text and a mask of equal length. In the mask, letters replace quoted texts and inserted code. */
export class SqlText {
  readonly mask: string;

  constructor(readonly text: string) {
    this.mask = maskText(text);
  }

  slice({ start, end }: Range): string {
    return this.text.slice(start, end);
  }

  matches(pattern: RegExp): RegExpExecArray[] {
    return [...this.mask.matchAll(pattern)];
  }

  /**
   * Returns the range from `start` to a word that matches `ends`, a closing parenthesis, a semicolon or the end of the
   * text.
   */
  clauseFrom(start: number, ends: RegExp): Range {
    for (const { index, depth } of this.positions(start)) {
      if (depth < 0 || this.mask[index] === ';') return { start, end: index };
      if (depth === 0 && this.isWordStart(index) && ends.test(this.mask.slice(index))) return { start, end: index };
    }
    return { start, end: this.mask.length };
  }

  /** Splits a range at separators outside of parentheses. */
  split({ start, end }: Range, separator: RegExp): Range[] {
    const parts: Range[] = [];
    let partStart = start;
    for (const { index, depth } of this.positions(start)) {
      if (index >= end) break;
      const mayMatch = depth === 0 && index >= partStart;
      const [match] = (mayMatch ? separator.exec(this.mask.slice(index, end)) : null) ?? [''];
      if (match === '') continue;
      parts.push({ start: partStart, end: index });
      partStart = index + match.length;
    }
    return [...parts, { start: partStart, end }].map((part) => this.trim(part));
  }

  /** Returns how many parentheses open after `start` and are still open at `end`. */
  depthBetween(start: number, end: number): number {
    let depthAtEnd = 0;
    for (const { index, depth } of this.positions(start)) {
      if (index > end) break;
      depthAtEnd = depth;
    }
    return depthAtEnd;
  }

  trim({ start, end }: Range): Range {
    const text = this.text.slice(start, end);
    return { start: start + text.length - text.trimStart().length, end: end - (text.length - text.trimEnd().length) };
  }

  private isWordStart(index: number): boolean {
    return !/\w/.test(this.mask[index - 1] ?? ' ');
  }

  private *positions(start: number): Generator<{ readonly index: number; readonly depth: number }> {
    let depth = 0;
    for (let index = start; index < this.mask.length; index += 1) {
      const sign = this.mask[index];
      const word = this.isWordStart(index)
        ? (/^(?:case|end)\b/.exec(this.mask.slice(index, index + 5))?.[0] ?? '')
        : '';
      if (sign === ')' || sign === ']' || word === 'end') depth -= 1;
      yield { index, depth };
      if (sign === '(' || sign === '[' || word === 'case') depth += 1;
    }
  }
}

function maskText(text: string): string {
  let mask = '';
  for (let index = 0; index < text.length;) {
    const length = lengthOfOpaque(text, index);
    mask += length === 0 ? text[index] : text.startsWith('--', index) ? ' '.repeat(length) : 'q'.repeat(length);
    index += Math.max(length, 1);
  }
  return mask;
}

function lengthOfOpaque(text: string, index: number): number {
  if (text[index] === "'") return (/^'[^']*'?/.exec(text.slice(index)) ?? [''])[0].length;
  if (text.startsWith('--', index)) return (/^--[^\n]*/.exec(text.slice(index)) ?? [''])[0].length;
  if (!text.startsWith('${', index)) return 0;
  let depth = 0;
  for (let end = index + 1; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}' && (depth -= 1) === 0) return end + 1 - index;
  }
  return text.length - index;
}
