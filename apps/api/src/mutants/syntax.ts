import { parseSync } from '@swc/core';

export interface SyntaxNode {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [part: string]: unknown;
}

/** Byte offsets in the source. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface FunctionRange extends Range {
  readonly body: Range;
  readonly isBlock: boolean;
  /** Nodes around the function body, outermost first. */
  readonly parents: readonly SyntaxNode[];
}

export interface Visited {
  readonly node: SyntaxNode;
  /** Nodes around this node, outermost first. */
  readonly parents: readonly SyntaxNode[];
}

/** Type syntax that contains code; other type syntax is not mutated. */
const TYPES_WITH_CODE = new Set([
  'TsAsExpression',
  'TsNonNullExpression',
  'TsSatisfiesExpression',
  'TsConstAssertion',
  'TsParameterProperty',
  'TsTypeAssertion',
]);
const BLOCK_TYPES = new Set(['BlockStatement', 'FunctionBody']);
const TYPES_WITHOUT_CODE = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ExportNamedDeclaration']);

/** A TypeScript file. All positions in it are byte offsets, as the parser returns them. */
export class Source {
  readonly bytes: Buffer;
  readonly visited: readonly Visited[];
  readonly functions: readonly FunctionRange[];

  constructor(
    /** Path relative to the root of the repository. */
    readonly file: string,
    text: string,
  ) {
    this.bytes = Buffer.from(text);
    this.visited = [...visit(parseSync(text, { syntax: 'typescript', decorators: true, target: 'es2022' }).body, [])];
    this.functions = this.visited.flatMap(functionOf);
  }

  text({ start, end }: Range): string {
    return this.bytes.toString('utf8', start, end);
  }

  lineOf({ start }: Range): number {
    return this.text({ start: 0, end: start }).split('\n').length;
  }

  apply(change: Range & { readonly replacement: string }): string {
    const [before, after] = [
      { start: 0, end: change.start },
      { start: change.end, end: this.bytes.length },
    ];
    return this.text(before) + change.replacement + this.text(after);
  }
}

export function rangeOf({ span }: Pick<SyntaxNode, 'span'>): Range {
  return { start: span.start - 1, end: span.end - 1 };
}

export function isWithin(inner: Range, outer: Range): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function* visit(tree: unknown, parents: readonly SyntaxNode[]): Generator<Visited> {
  if (typeof tree !== 'object' || tree === null) return;
  const node = withRange(tree as SyntaxNode);
  const isNode = 'type' in node && 'span' in node;
  if (isNode) {
    if (TYPES_WITHOUT_CODE.has(node.type) || node['declare'] === true) return;
    if (node.type.startsWith('Ts') && !TYPES_WITH_CODE.has(node.type)) return;
    yield { node, parents };
  }
  const parentsOfParts = isNode ? [...parents, node] : parents;
  for (const part of Object.values(tree)) yield* visit(part, parentsOfParts);
}

/** Adds the range of a property, because the parser gives properties no range. */
function withRange(node: SyntaxNode): SyntaxNode {
  if (node.type !== 'KeyValueProperty') return node;
  const [key, value] = [node['key'], node['value']] as [SyntaxNode, SyntaxNode];
  return { ...node, span: { start: key.span.start, end: value.span.end } };
}

function functionOf({ node, parents }: Visited): FunctionRange[] {
  const isMethod = node.type === 'ClassMethod' || node.type === 'PrivateMethod';
  const body = (isMethod ? (node['function'] as SyntaxNode) : node)['body'] as SyntaxNode | null | undefined;
  const isFunction = isMethod || /Function|^Constructor$|^(Method|Getter|Setter)Property$/.test(node.type);
  if (!isFunction || !body || Array.isArray(body)) return [];
  return [{ ...rangeOf(node), body: rangeOf(body), isBlock: BLOCK_TYPES.has(body.type), parents: [...parents, node] }];
}
