import { lowerCase } from '../lower-case.js';

const WORD = /[\p{Alphabetic}\p{Nd}]+/gu;

/** Pads each word with two blanks before and one after, like `pg_trgm`. */
function trigramsOf(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    const letters = ['', ' ', ' ', ...lowerCase(word), ' '];
    return letters.slice(3).map((letter, index) => `${letters[index + 1]}${letters[index + 2]}${letter}`);
  });
}

/**
 * Returns the greatest similarity, from 0 to 1, between the trigrams of `query` and any run of trigrams in `text`.
 * Follows `word_similarity` of PostgreSQL step by step, so both databases rank alike.
 */
export function wordSimilarity(query: string, text: string): number {
  const queryTrigrams = new Set(trigramsOf(query));
  const run = new TrigramRun(trigramsOf(text), queryTrigrams);
  let best = 0;
  run.trigrams.forEach((trigram, end) => {
    run.extendTo(end);
    if (queryTrigrams.has(trigram)) best = Math.max(best, run.shrinkToBest(end));
  });
  return best;
}

class TrigramRun {
  private readonly lastSeen = new Map<string, number>();
  private start = -1;
  private distinct = 0;
  private shared = 0;

  constructor(
    readonly trigrams: readonly string[],
    private readonly queryTrigrams: ReadonlySet<string>,
  ) {}

  extendTo(end: number): void {
    const trigram = this.trigrams[end] as string;
    const isInQuery = this.queryTrigrams.has(trigram);
    if (this.start < 0 && !isInQuery) return;
    if (this.start < 0) this.start = end;
    if (!this.lastSeen.has(trigram)) {
      this.distinct += 1;
      if (isInQuery) this.shared += 1;
    }
    this.lastSeen.set(trigram, end);
  }

  shrinkToBest(end: number): number {
    const previousStart = this.start;
    let { shared, distinct } = this;
    let best = this.similarity(shared, distinct);
    for (let start = previousStart; start <= end; start += 1) {
      const similarity = this.similarity(shared, distinct);
      if (similarity > best) {
        best = similarity;
        Object.assign(this, { start, shared, distinct });
      }
      const trigram = this.trigrams[start] as string;
      if (this.lastSeen.get(trigram) !== start) continue;
      distinct -= 1;
      if (this.queryTrigrams.has(trigram)) shared -= 1;
    }
    for (const [start, trigram] of this.trigrams.slice(previousStart, this.start).entries()) {
      if (this.lastSeen.get(trigram) === previousStart + start) this.lastSeen.delete(trigram);
    }
    return best;
  }

  /** Computes in single precision, like the database. */
  private similarity(shared: number, distinct: number): number {
    return Math.fround(shared / (this.queryTrigrams.size + distinct - shared));
  }
}
