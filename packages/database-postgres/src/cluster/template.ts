import { tokensOf } from './common-table-expressions.js';

/** The SQL before, between and after its parameters. */
export interface Template {
  readonly pieces: readonly string[];
  /** The number of each parameter: one less than pieces. */
  readonly parameters: readonly number[];
}

const PARAMETER = /^\$\d/;

export function templateOf(text: string): Template {
  const pieces: string[] = [];
  const parameters: number[] = [];
  let end = 0;
  for (const { text: token, position } of tokensOf(text)) {
    if (!PARAMETER.test(token)) continue;
    pieces.push(text.slice(end, position));
    parameters.push(Number(token.slice(1)));
    end = position + token.length;
  }
  return { pieces: [...pieces, text.slice(end)], parameters };
}

export function fillTemplate({ pieces, parameters }: Template, placeholderOf: (parameter: number) => string): string {
  return pieces.map((piece, index) => piece + placeholderAt(parameters[index], placeholderOf)).join('');
}

function placeholderAt(parameter: number | undefined, placeholderOf: (parameter: number) => string): string {
  return parameter === undefined ? '' : placeholderOf(parameter);
}
