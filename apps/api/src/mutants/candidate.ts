import type { Change } from './change.js';
import { rangeOf, type Source, type SyntaxNode } from './syntax.js';

export interface Candidate {
  readonly source: Source;
  readonly change: Change;
  /** The outermost first. */
  readonly parents: readonly SyntaxNode[];
  /** The SQL that the change is in. */
  readonly statement?: string;
  /** The other conditions of a dropped one. */
  readonly besides?: readonly string[];
}

export const changed = ({ source, change }: Candidate): string => source.text(change);

export const has = (parents: readonly SyntaxNode[], isIt: (node: SyntaxNode) => boolean): boolean => parents.some(isIt);

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

/** The constant that the change is in the value of. */
export function constantOf({ parents }: Candidate): string {
  const declared = parents.findLast(({ type }) => type === 'VariableDeclarator');
  return nameOf(declared?.['id'] as SyntaxNode | undefined);
}

/** Ids that were looked up in another table or sub-query. */
export const IS_TIED =
  /^(?:\w+\.)?\w*id\w* (?:= (?!app\b)\w+\.\w+|in \(|= any\(array\()|^\$\{(?:among|listed|anyOf)\(|^exists \(/;

export const EMPTY_DEFAULT = /^\s*\?\? (?:null|undefined|''|0|\[\])$/;

export const SETTLED_FIELDS = /^(?:withoutEnlargement|render|scale|colorSpace|depth|force)$/;
export const SERVICE_FIELDS = /ChecksumCalculation$|ChecksumValidation$|^(?:partSize|forcePathStyle)$/;

/** A function that does nothing but flush. */
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
