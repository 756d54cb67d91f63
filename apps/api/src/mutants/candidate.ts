import type { Change } from './change.js';
import { rangeOf, type Source, type SyntaxNode } from './syntax.js';

export interface Candidate {
  readonly source: Source;
  readonly change: Change;
  /** Nodes around the change, outermost first. */
  readonly parents: readonly SyntaxNode[];
  /** The SQL text that contains the change. */
  readonly statement?: string;
  /** For a dropped condition, the other conditions of its clause. */
  readonly siblings?: readonly string[];
}

export const changedText = ({ source, change }: Candidate): string => source.text(change);

export const hasParent = (parents: readonly SyntaxNode[], predicate: (node: SyntaxNode) => boolean): boolean =>
  parents.some(predicate);

export function nameOf(node: SyntaxNode | undefined): string {
  const value = node?.['value'];
  return typeof value === 'string' ? value : '';
}

export function isError(node: SyntaxNode): boolean {
  const callee = node['callee'] as SyntaxNode | undefined;
  return node.type === 'ThrowStatement' || (node.type === 'NewExpression' && nameOf(callee).endsWith('Error'));
}

export function isField(name: RegExp): (node: SyntaxNode) => boolean {
  return ({ type, ...node }) => type === 'KeyValueProperty' && name.test(nameOf(node['key'] as SyntaxNode));
}

export function isFieldDropped(source: Source, change: Change, name: RegExp): boolean {
  const [, field = ''] = /^(?:,\s*)?(\w+):/.exec(source.text(change)) ?? [];
  return change.operator === 'drop field' && name.test(field);
}

/** Returns the constant whose value contains the change. */
export function constantOf({ parents }: Candidate): string {
  const declarator = parents.findLast(({ type }) => type === 'VariableDeclarator');
  return nameOf(declarator?.['id'] as SyntaxNode | undefined);
}

/** Conditions that compare an id with a column of another table or with a subquery. */
export const JOINED_ID =
  /^(?:\w+\.)?\w*id\w* (?:= (?!app\b)\w+\.\w+|in \(|= any\(array\()|^\$\{(?:among|listed|anyOf)\(|^exists \(/;

export const EMPTY_DEFAULT = /^\s*\?\? (?:null|undefined|''|0|\[\]|new Date\(0\))$/;

export const REDUNDANT_OPTIONS = /^(?:withoutEnlargement|render|scale|colorSpace|depth|force|hasAlpha|h)$/;
export const S3_CLIENT_OPTIONS = /ChecksumCalculation$|ChecksumValidation$|^(?:partSize|forcePathStyle)$/;

/** Whether the changed function does nothing but flush files to disk. */
export function isFlushing(source: Source, { start }: Change): boolean {
  return /^[^}]*\.sync\(\)/.test(source.text({ start, end: start + 200 }));
}

export function isDefault(source: Source, { start }: Change, parent: SyntaxNode | undefined): boolean {
  if (parent?.type.startsWith('AssignmentPattern')) return /= (?:''|'0'|0)$/.test(source.text(rangeOf(parent)));
  const isFallback = parent?.type === 'BinaryExpression' && parent['operator'] === '??';
  return (
    isFallback &&
    /\?\? (?:''|0)$/.test(source.text({ start: rangeOf(parent).start, end: rangeOf(parent).end })) &&
    start > rangeOf(parent).start
  );
}
