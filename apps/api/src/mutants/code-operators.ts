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
const TEXTS = new Set(['StringLiteral', 'TemplateLiteral']);
/** Without the call, a list, or text, stays as it was. */
const REFINEMENTS = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'toLowerCase',
  'replaceAll',
]);
const CUTS = new Set(['slice', 'subarray']);
const EFFECTS = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression']);

const part = (node: SyntaxNode, name: string): SyntaxNode => node[name] as SyntaxNode;
const textOf = (source: Source, node: SyntaxNode): string => source.text(rangeOf(node));

const negations: Operator = ({ node }, source) => {
  const test = ['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type) && part(node, 'test');
  if (!test || test.type === 'BooleanLiteral') return [];
  return [{ ...rangeOf(test), operator: 'negate condition', replacement: `!(${textOf(source, test)})` }];
};

const binaries: Operator = ({ node }, source) => {
  if (node.type !== 'BinaryExpression') return [];
  const [left, right, sign] = [part(node, 'left'), part(node, 'right'), String(node['operator'])];
  const between = { start: rangeOf(left).end, end: rangeOf(right).start };
  const swap = (operator: string, other: string | undefined): Change[] =>
    other === undefined ? [] : [{ ...between, operator, replacement: source.text(between).replace(sign, other) }];
  if (sign === '??')
    return [{ start: between.start, end: rangeOf(node).end, operator: 'drop fallback', replacement: '' }];
  const isText = TEXTS.has(left.type) || TEXTS.has(right.type);
  return [
    ...swap('swap comparison', COMPARISONS[sign]),
    ...swap('swap logic', LOGIC[sign]),
    ...(isText ? [] : swap('swap arithmetic', ARITHMETIC[sign])),
  ];
};

const drops: Operator = ({ node }) => {
  if (node.type !== 'ExpressionStatement') return [];
  const [range, effect] = [rangeOf(node), part(node, 'expression')];
  const isSuper = effect.type === 'CallExpression' && part(effect, 'callee').type === 'Super';
  return EFFECTS.has(effect.type) && !isSuper ? [{ ...range, operator: 'drop statement', replacement: ';' }] : [];
};

const awaits: Operator = ({ node }, source) => {
  if (node.type !== 'AwaitExpression') return [];
  return [{ ...rangeOf(node), operator: 'remove await', replacement: textOf(source, part(node, 'argument')) }];
};

const literals: Operator = ({ node, parents }) => {
  const range = rangeOf(node);
  const parent = parents.at(-1);
  if (parent?.['key'] === node || parent?.type === 'TsLiteralType') return [];
  const other = (replacement: string): Change[] => [{ ...range, operator: 'replace literal', replacement }];
  if (node.type === 'NumericLiteral') return other(String(Number(node['value']) + 1));
  if (node.type === 'BooleanLiteral') return other(String(!node['value']));
  if (node.type === 'StringLiteral') return other(node['value'] === '' ? "'mutant'" : "''");
  return node.type === 'TemplateLiteral' ? other("''") : [];
};

/** Each item with the comma that parts it from the next. */
function without(items: readonly Range[], operator: string): Change[] {
  return items.map((item, index) => {
    const [before, next] = [items[index - 1], items[index + 1]];
    const start = next || !before ? item.start : before.end;
    return { start, end: next?.start ?? item.end, operator, replacement: '' };
  });
}

const entries: Operator = ({ node }) => {
  if (node.type === 'ObjectExpression') {
    const properties = node['properties'] as SyntaxNode[];
    return without(properties.map(rangeOfProperty), 'drop field');
  }
  if (node.type !== 'ArrayExpression') return [];
  const elements = (
    node['elements'] as ({ expression: SyntaxNode; spread: SyntaxNode['span'] | null } | null)[]
  ).flatMap((each) =>
    each === null ? [] : [{ ...rangeOf(each.expression), ...(each.spread && { start: each.spread.start - 1 }) }],
  );
  return without(elements, 'drop item');
};

/** Properties have no range of their own. */
function rangeOfProperty(property: SyntaxNode): Range {
  if (property.type === 'SpreadElement') {
    const spread = property['spread'] as SyntaxNode['span'];
    return { start: spread.start - 1, end: rangeOf(part(property, 'arguments')).end };
  }
  if (property.type !== 'KeyValueProperty') return rangeOf(property);
  return { start: rangeOf(part(property, 'key')).start, end: rangeOf(part(property, 'value')).end };
}

const calls: Operator = ({ node }, source) => {
  if (node.type !== 'CallExpression') return [];
  const callee = part(node, 'callee');
  const args = (node['arguments'] as { expression: SyntaxNode }[]).map(({ expression }) => expression);
  const [first] = args;
  const last = args.at(-1);
  const unescapes = callee.type === 'Identifier' && callee['value'] === 'escapeLike' && first;
  if (unescapes) return [{ ...rangeOf(node), operator: 'unescape wildcards', replacement: textOf(source, first) }];
  if (callee.type !== 'MemberExpression') return [];
  const name = String(part(callee, 'property')['value']);
  if (REFINEMENTS.has(name))
    return [{ ...rangeOf(node), operator: `drop ${name}`, replacement: textOf(source, part(callee, 'object')) }];
  if (!CUTS.has(name) || !last) return [];
  const replacement = `(${textOf(source, last)}) ${args.length === 1 ? '+' : '-'} 1`;
  return [{ ...rangeOf(last), operator: 'cut by one', replacement }];
};

function earlyReturns(source: Source): Change[] {
  return source.functions
    .filter(({ body, isBlock }) => isBlock && source.text(body).replaceAll(/[\s{}]/g, '') !== '')
    .map(({ body }) => {
      const inside = body.start + 1;
      return { start: inside, end: inside, operator: 'return early', replacement: ' return;' };
    });
}

const OPERATORS: readonly Operator[] = [negations, binaries, drops, awaits, literals, entries, calls];

/** All changes of the code itself; SQL in its texts is not looked at. */
export function codeChanges(source: Source): { readonly change: Change; readonly visited?: Visited }[] {
  return [
    ...source.visited.flatMap((visited) =>
      OPERATORS.flatMap((operator) => operator(visited, source).map((change) => ({ change, visited }))),
    ),
    ...earlyReturns(source).map((change) => ({ change })),
  ];
}
