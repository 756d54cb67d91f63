import type { Adapter } from './adapters.js';
import type { Point } from './points.js';
import { isWithin, rangeOf, type FunctionRange, type Range, type Source, type SyntaxNode } from './syntax.js';

interface NumberedFunction extends FunctionRange {
  readonly id: number;
  readonly source: Source;
  readonly words: ReadonlySet<string>;
}

/** A top-level declaration and the names that it declares. */
interface Declaration extends Range {
  readonly source: Source;
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** Numbers the functions of adapters. Finds the functions whose behaviour a mutation can change. */
export class FunctionMap {
  private readonly functions: readonly NumberedFunction[];
  private readonly declarations: readonly Declaration[];

  constructor(adapters: readonly Adapter[]) {
    const sources = adapters.flatMap((adapter) => adapter.sources);
    this.functions = sources
      .flatMap((source) => source.functions.map((range) => ({ ...range, source, words: wordsOf(source, range) })))
      .map((numbered, id) => ({ ...numbered, id }));
    this.declarations = sources.flatMap(declarationsIn);
  }

  /** Adds to each function of the text a call that reports when the function runs. */
  instrument(file: string, text: string): string {
    const functionsOfFile = this.functions.filter(({ source }) => source.file === file);
    const insertions = functionsOfFile.flatMap(({ id, body, isBlock }) => {
      const call = `globalThis.coveredFunction?.(${id})`;
      if (isBlock) return [{ at: body.start + 1, text: `${call};` }];
      return [
        { at: body.start, text: `(${call},` },
        { at: body.end, text: ')' },
      ];
    });
    let bytes = Buffer.from(text);
    for (const { at, text: insertion } of insertions.toSorted((a, b) => b.at - a.at))
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(insertion), bytes.subarray(at)]);
    return bytes.toString();
  }

  /** A test can notice the change only if it runs at least one of the returned functions. */
  affectedFunctions(point: Point): number[] {
    const enclosing = this.functions.filter(
      ({ source, ...range }) => source === point.source && isWithin(point, range),
    );
    const innermost = enclosing.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
    if (innermost) return [innermost.id];
    const declaration = this.declarations.find(
      ({ source, ...range }) => source === point.source && isWithin(point, range),
    );
    if (declaration === undefined)
      return this.functions.filter(({ source }) => source === point.source).map(({ id }) => id);
    const functionsInside = this.functions.filter(
      ({ source, ...range }) => source === declaration.source && isWithin(range, declaration),
    );
    return [...new Set([...functionsInside.map(({ id }) => id), ...this.usersOf(declaration.names)])];
  }

  /**
   * Returns functions that mention one of these names or a constant derived from one. Only names are compared, so the
   * list may contain unrelated functions.
   */
  private usersOf(names: readonly string[]): number[] {
    const usedNames = new Set(names);
    for (let size = 0; size < usedNames.size;) {
      size = usedNames.size;
      for (const { words, names: declaredNames } of this.declarations)
        if ([...usedNames].some((name) => words.has(name))) for (const name of declaredNames) usedNames.add(name);
    }
    return this.functions.filter(({ words }) => [...usedNames].some((name) => words.has(name))).map(({ id }) => id);
  }
}

function wordsOf(source: Source, range: Range): Set<string> {
  return new Set(source.text(range).match(/[A-Za-z_]\w*/g));
}

/** Returns top-level constants with their names. A class has no names, because only the functions inside it count. */
function declarationsIn(source: Source): Declaration[] {
  return source.visited
    .filter(({ parents }) => parents.every(({ type }) => type === 'ExportDeclaration'))
    .filter(({ node }) => /^(?:VariableDeclaration|ClassDeclaration)$/.test(node.type))
    .flatMap(({ node }) => {
      const declarators = (node['declarations'] as SyntaxNode[] | undefined) ?? [];
      return [
        ...declarators.map((declarator) => ({
          ...rangeOf(declarator),
          source,
          names: [...wordsOf(source, rangeOf(declarator['id'] as SyntaxNode))],
          words: wordsOf(source, rangeOf(declarator)),
        })),
        ...(declarators.length === 0 ? [{ ...rangeOf(node), source, names: [], words: new Set<string>() }] : []),
      ];
    });
}
