import type { Change } from './change.js';
import { rangeOf, type Range, type Source, type SyntaxNode, type Visited } from './syntax.js';

type Operator = (visited: Visited, source: Source) => Change[];

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' };
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
const TEXT_TYPES = new Set(['StringLiteral', 'TemplateLiteral']);
/** Methods whose result has the type of the value they are called on, so a call can be removed. */
const REFINING_METHODS = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'toLowerCase',
  'replaceAll',
]);
const SLICE_METHODS = new Set(['slice', 'subarray']);
const EFFECT_TYPES = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression']);

const child = (node: SyntaxNode, name: string): SyntaxNode => node[name] as SyntaxNode;
const textOf = (source: Source, node: SyntaxNode): string => source.text(rangeOf(node));

const negateConditions: Operator = ({ node }, source) => {
  const test = ['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type) && child(node, 'test');
  if (!test || test.type === 'BooleanLiteral') return [];
  return [{ ...rangeOf(test), operator: 'negate condition', replacement: `!(${textOf(source, test)})` }];
};

const changeBinaries: Operator = ({ node }, source) => {
  if (node.type !== 'BinaryExpression') return [];
  const [left, right, sign] = [child(node, 'left'), child(node, 'right'), String(node['operator'])];
  const operatorRange = { start: rangeOf(left).end, end: rangeOf(right).start };
  const swap = (operator: string, counterpart: string | undefined): Change[] =>
    counterpart === undefined
      ? []
      : [{ ...operatorRange, operator, replacement: source.text(operatorRange).replace(sign, counterpart) }];
  if (sign === '??')
    return [{ start: operatorRange.start, end: rangeOf(node).end, operator: 'drop fallback', replacement: '' }];
  const isText = TEXT_TYPES.has(left.type) || TEXT_TYPES.has(right.type);
  return [
    ...swap('swap comparison', COMPARISONS[sign]),
    ...swap('swap logic', LOGIC[sign]),
    ...(isText ? [] : swap('swap arithmetic', ARITHMETIC[sign])),
  ];
};

const dropStatements: Operator = ({ node }) => {
  if (node.type !== 'ExpressionStatement') return [];
  const [range, effect] = [rangeOf(node), child(node, 'expression')];
  const isSuper = effect.type === 'CallExpression' && child(effect, 'callee').type === 'Super';
  return EFFECT_TYPES.has(effect.type) && !isSuper ? [{ ...range, operator: 'drop statement', replacement: ';' }] : [];
};

const removeAwaits: Operator = ({ node }, source) => {
  if (node.type !== 'AwaitExpression') return [];
  return [{ ...rangeOf(node), operator: 'remove await', replacement: textOf(source, child(node, 'argument')) }];
};

const replaceLiterals: Operator = ({ node, parents }) => {
  const range = rangeOf(node);
  const parent = parents.at(-1);
  if (parent?.['key'] === node || parent?.type === 'TsLiteralType') return [];
  const replaceWith = (replacement: string): Change[] => [{ ...range, operator: 'replace literal', replacement }];
  if (node.type === 'NumericLiteral') return replaceWith(String(Number(node['value']) + 1));
  if (node.type === 'BooleanLiteral') return replaceWith(String(!node['value']));
  if (node.type === 'StringLiteral') return replaceWith(node['value'] === '' ? "'mutant'" : "''");
  return node.type === 'TemplateLiteral' ? replaceWith("''") : [];
};

/** For each item, makes a change that removes the item and its comma. */
function dropEach(items: readonly Range[], operator: string): Change[] {
  return items.map((item, index) => {
    const [previous, next] = [items[index - 1], items[index + 1]];
    const start = next || !previous ? item.start : previous.end;
    return { start, end: next?.start ?? item.end, operator, replacement: '' };
  });
}

const dropEntries: Operator = ({ node }) => {
  if (node.type === 'ObjectExpression') {
    const properties = node['properties'] as SyntaxNode[];
    return dropEach(properties.map(rangeOfProperty), 'drop field');
  }
  if (node.type !== 'ArrayExpression') return [];
  const elements = (
    node['elements'] as ({ expression: SyntaxNode; spread: SyntaxNode['span'] | null } | null)[]
  ).flatMap((element) =>
    element === null
      ? []
      : [{ ...rangeOf(element.expression), ...(element.spread && { start: element.spread.start - 1 }) }],
  );
  return dropEach(elements, 'drop item');
};

/** Computes the range of a property, because the parser does not. */
function rangeOfProperty(property: SyntaxNode): Range {
  if (property.type === 'SpreadElement') {
    const spread = property['spread'] as SyntaxNode['span'];
    return { start: spread.start - 1, end: rangeOf(child(property, 'arguments')).end };
  }
  if (property.type !== 'KeyValueProperty') return rangeOf(property);
  return { start: rangeOf(child(property, 'key')).start, end: rangeOf(child(property, 'value')).end };
}

const changeCalls: Operator = ({ node }, source) => {
  if (node.type !== 'CallExpression') return [];
  const callee = child(node, 'callee');
  const args = (node['arguments'] as { expression: SyntaxNode }[]).map(({ expression }) => expression);
  const [first] = args;
  const last = args.at(-1);
  const isEscapeCall = callee.type === 'Identifier' && callee['value'] === 'escapeLike' && first;
  if (isEscapeCall) return [{ ...rangeOf(node), operator: 'unescape wildcards', replacement: textOf(source, first) }];
  if (callee.type !== 'MemberExpression') return [];
  const name = String(child(callee, 'property')['value']);
  if (REFINING_METHODS.has(name))
    return [{ ...rangeOf(node), operator: `drop ${name}`, replacement: textOf(source, child(callee, 'object')) }];
  if (!SLICE_METHODS.has(name) || !last) return [];
  const replacement = `(${textOf(source, last)}) ${args.length === 1 ? '+' : '-'} 1`;
  return [{ ...rangeOf(last), operator: 'cut by one', replacement }];
};

function returnEarly(source: Source): { readonly change: Change; readonly visited: Visited }[] {
  return source.functions
    .filter(({ body, isBlock }) => isBlock && source.text(body).replaceAll(/[\s{}]/g, '') !== '')
    .map(({ body, parents }) => {
      const bodyStart = body.start + 1;
      const change = { start: bodyStart, end: bodyStart, operator: 'return early', replacement: ' return;' };
      return { change, visited: { node: parents.at(-1) as SyntaxNode, parents } };
    });
}

const OPERATORS: readonly Operator[] = [
  negateConditions,
  changeBinaries,
  dropStatements,
  removeAwaits,
  replaceLiterals,
  dropEntries,
  changeCalls,
];

/** Returns all changes of code except changes of SQL texts. */
export function codeChanges(source: Source): { readonly change: Change; readonly visited?: Visited }[] {
  return [
    ...source.visited.flatMap((visited) =>
      OPERATORS.flatMap((operator) => operator(visited, source).map((change) => ({ change, visited }))),
    ),
    ...returnEarly(source),
  ];
}
