import { nodesOf, parseSource, type SourceComment, type SyntaxNode } from './source-syntax.js';

const CODE_BLOCK = /^( *)```[\s\S]*?^\1```/gm;
const INLINE_CODE = /`[^`]*`/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[:;])\s+(?=[\p{Lu}`*])/u;
const PARAGRAPH_END = /\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s?)/;

/** Returns the comments of a source file; successive line comments count as one. */
export function commentsOf(source: string): string[] {
  const texts: string[] = [];
  let previous: SourceComment | undefined;
  for (const comment of parseSource(source).comments) {
    const text = comment.value.replaceAll(/^\*+|\n\s*\*/g, ' ').trim();
    const isContinuation =
      comment.type === 'CommentLine' &&
      previous?.type === 'CommentLine' &&
      !source.slice(previous.end, comment.start).trim();
    if (isContinuation) texts.push(`${texts.pop()} ${text}`);
    else texts.push(text);
    previous = comment;
  }
  return texts;
}

/** Returns paragraphs, list items, headings and table cells of a Markdown page, without code blocks. */
export function paragraphsOf(page: string): string[] {
  return page
    .replaceAll(CODE_BLOCK, '')
    .split(PARAGRAPH_END)
    .flatMap((text) => (text.trim().startsWith('|') ? text.split('|') : [text]))
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .filter((text) => text !== '');
}

export function sentencesOf(text: string): string[] {
  return text.replaceAll(INLINE_CODE, 'code').replaceAll(LINK, '$1').split(SENTENCE_END);
}

export function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Returns the targets of relative links in a Markdown page. */
export function relativeLinksOf(page: string): string[] {
  const targets = [
    ...page
      .replaceAll(CODE_BLOCK, '')
      .replaceAll(INLINE_CODE, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ];
  return targets.map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns the anchors that GitHub gives the headings of a Markdown page. */
export function anchorsOf(page: string): Set<string> {
  const headings = [...page.replaceAll(CODE_BLOCK, '').matchAll(/^#+ +(.+)$/gm)];
  return new Set(headings.map(([, heading = '']) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(LINK, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the names of variables, functions, parameters, types and members that a source file declares. */
export function declaredNamesOf(source: string): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(parseSource(source).program))
    for (const key of NAME_FIELDS[String(node['type'])] ?? []) collectNames(node[key], names);
  return names;
}

/** Splits a name into words: `retryAfterMs` → `retry`, `after`, `ms`. */
export function wordsOf(name: string): string[] {
  return name
    .split(/_|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

const NAME_FIELDS: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  TSParameterProperty: ['parameter'],
  TSTypeAliasDeclaration: ['id'],
  TSInterfaceDeclaration: ['id'],
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  TSEnumDeclaration: ['id'],
};

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const entry of value) collectNames(entry, names);
    return;
  }
  const node = (value ?? {}) as SyntaxNode;
  if (node['type'] === 'Identifier' || node['type'] === 'PrivateIdentifier') names.add(String(node['name']));
}
