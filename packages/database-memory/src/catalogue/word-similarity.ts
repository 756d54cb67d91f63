import { lowerCase } from '../lower-case.js';

const WORD = /[\p{Alphabetic}\p{Nd}]+/gu;

/** Like `pg_trgm`, pads each word with two blanks before and one after. */
function trigramsOf(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    const letters = ['', ' ', ' ', ...lowerCase(word), ' '];
    return letters.slice(3).map((letter, index) => `${letters[index + 1]}${letters[index + 2]}${letter}`);
  });
}

/**
 * Greatest similarity between the trigrams of `query` and any run of trigrams of `text`, from 0 to 1. Follows
 * `word_similarity` of PostgreSQL step by step, so both databases rank alike.
 */
export function wordSimilarity(query: string, text: string): number {
  const wanted = new Set(trigramsOf(query));
  const run = new Run(trigramsOf(text), wanted);
  let best = 0;
  run.trigrams.forEach((trigram, end) => {
    run.extendTo(end);
    if (wanted.has(trigram)) best = Math.max(best, run.shrinkToBest(end));
  });
  return best;
}

/** A run of trigrams that starts and ends with a wanted one. */
class Run {
  private readonly lastSeen = new Map<string, number>();
  private start = -1;
  private distinct = 0;
  private shared = 0;

  constructor(
    readonly trigrams: readonly string[],
    private readonly wanted: ReadonlySet<string>,
  ) {}

  extendTo(end: number): void {
    const trigram = this.trigrams[end] as string;
    const isWanted = this.wanted.has(trigram);
    if (this.start < 0 && !isWanted) return;
    if (this.start < 0) this.start = end;
    if (!this.lastSeen.has(trigram)) {
      this.distinct += 1;
      if (isWanted) this.shared += 1;
    }
    this.lastSeen.set(trigram, end);
  }

  /** Drops trigrams at the start while that raises the similarity; returns the similarity. */
  shrinkToBest(end: number): number {
    const before = this.start;
    let { shared, distinct } = this;
    let best = this.similarity(shared, distinct);
    for (let start = before; start <= end; start += 1) {
      const similarity = this.similarity(shared, distinct);
      if (similarity > best) {
        best = similarity;
        Object.assign(this, { start, shared, distinct });
      }
      const trigram = this.trigrams[start] as string;
      if (this.lastSeen.get(trigram) !== start) continue;
      distinct -= 1;
      if (this.wanted.has(trigram)) shared -= 1;
    }
    for (const [start, trigram] of this.trigrams.slice(before, this.start).entries()) {
      if (this.lastSeen.get(trigram) === before + start) this.lastSeen.delete(trigram);
    }
    return best;
  }

  /** In single precision, like the database. */
  private similarity(shared: number, distinct: number): number {
    return Math.fround(shared / (this.wanted.size + distinct - shared));
  }
}
