import type { Adapter } from './adapters.js';
import type { Point } from './points.js';
import { isWithin, rangeOf, type FunctionRange, type Range, type Source, type SyntaxNode } from './syntax.js';

interface NumberedFunction extends FunctionRange {
  readonly id: number;
  readonly source: Source;
  readonly words: ReadonlySet<string>;
}

/** What stands at the top of a file, by the names that it declares. */
interface Declared extends Range {
  readonly source: Source;
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** Numbers the functions of adapters, and knows which of them a point takes effect in. */
export class FunctionMap {
  private readonly functions: readonly NumberedFunction[];
  private readonly declared: readonly Declared[];

  constructor(adapters: readonly Adapter[]) {
    const sources = adapters.flatMap((adapter) => adapter.sources);
    this.functions = sources
      .flatMap((source) => source.functions.map((each) => ({ ...each, source, words: wordsOf(source, each) })))
      .map((each, id) => ({ ...each, id }));
    this.declared = sources.flatMap(declaredIn);
  }

  /** The text with calls that report which functions run. */
  instrumented(file: string, text: string): string {
    const own = this.functions.filter(({ source }) => source.file === file);
    const insertions = own.flatMap(({ id, body, isBlock }) => {
      const call = `globalThis.coveredFunction?.(${id})`;
      if (isBlock) return [{ at: body.start + 1, text: `${call};` }];
      return [
        { at: body.start, text: `(${call},` },
        { at: body.end, text: ')' },
      ];
    });
    let bytes = Buffer.from(text);
    for (const { at, text: inserted } of insertions.toSorted((a, b) => b.at - a.at))
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at)]);
    return bytes.toString();
  }

  /** The functions of which at least one has to run before a change at this point shows. */
  runningAt(point: Point): number[] {
    const around = this.functions.filter(({ source, ...range }) => source === point.source && isWithin(point, range));
    const innermost = around.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
    if (innermost) return [innermost.id];
    const own = this.declared.find(({ source, ...range }) => source === point.source && isWithin(point, range));
    if (own === undefined) return this.functions.filter(({ source }) => source === point.source).map(({ id }) => id);
    const inside = this.functions.filter(({ source, ...range }) => source === own.source && isWithin(range, own));
    return [...new Set([...inside.map(({ id }) => id), ...this.usersOf(own.names)])];
  }

  /** Functions that name one of these, or a constant that is made of one. By name alone, so rather too many. */
  private usersOf(names: readonly string[]): number[] {
    const known = new Set(names);
    for (let size = 0; size < known.size;) {
      size = known.size;
      for (const { words, names: made } of this.declared)
        if ([...known].some((name) => words.has(name))) for (const name of made) known.add(name);
    }
    return this.functions.filter(({ words }) => [...known].some((name) => words.has(name))).map(({ id }) => id);
  }
}

function wordsOf(source: Source, range: Range): Set<string> {
  return new Set(source.text(range).match(/[A-Za-z_]\w*/g));
}

/** Classes and functions are known by the functions in them; of constants it counts who names them. */
function declaredIn(source: Source): Declared[] {
  return source.visited
    .filter(({ parents }) => parents.every(({ type }) => type === 'ExportDeclaration'))
    .filter(({ node }) => /^(?:VariableDeclaration|ClassDeclaration)$/.test(node.type))
    .flatMap(({ node }) => {
      const declarators = (node['declarations'] as SyntaxNode[] | undefined) ?? [];
      return [
        ...declarators.map((each) => ({
          ...rangeOf(each),
          source,
          names: [...wordsOf(source, rangeOf(each['id'] as SyntaxNode))],
          words: wordsOf(source, rangeOf(each)),
        })),
        ...(declarators.length === 0 ? [{ ...rangeOf(node), source, names: [], words: new Set<string>() }] : []),
      ];
    });
}
