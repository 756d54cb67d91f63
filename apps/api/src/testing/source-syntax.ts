import { parse } from '@babel/parser';

export interface SourceComment {
  readonly type: 'CommentBlock' | 'CommentLine';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

export type SyntaxNode = Readonly<Record<string, unknown>>;

/** Parses TypeScript or JavaScript to an ESTree. */
export function parseSource(source: string): { program: SyntaxNode; comments: readonly SourceComment[] } {
  const { program, comments } = parse(source, {
    sourceType: 'unambiguous',
    allowReturnOutsideFunction: true,
    attachComment: false,
    plugins: ['typescript', 'decorators-legacy', ['estree', { classFeatures: true }]],
  });
  return { program: program as unknown as SyntaxNode, comments: (comments ?? []) as readonly SourceComment[] };
}

/** Returns all objects of the tree, each before its parts. */
export function nodesOf(tree: unknown, nodes: SyntaxNode[] = []): SyntaxNode[] {
  if (tree === null || typeof tree !== 'object') return nodes;
  if (!Array.isArray(tree)) nodes.push(tree as SyntaxNode);
  for (const part of Object.values(tree)) nodesOf(part, nodes);
  return nodes;
}
