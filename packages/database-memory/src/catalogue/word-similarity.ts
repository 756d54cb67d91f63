import { lowerCase } from '../lower-case.js';

const WORD = /[\p{Alphabetic}\p{Nd}]+/gu;

/** Pads each word with two spaces before and one after, like `pg_trgm`. */
function trigramsOf(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    const letters = ['', ' ', ' ', ...lowerCase(word), ' '];
    return letters.slice(3).map((letter, index) => `${letters[index + 1]}${letters[index + 2]}${letter}`);
  });
}

/**
 * Returns the maximum similarity, from 0 to 1, between the trigrams of `query` and any run of trigrams in `text`.
 * Follows `word_similarity` of PostgreSQL step by step, so both databases rank alike.
 */
export function wordSimilarity(query: string, text: string): number {
  const queryTrigrams = new Set(trigramsOf(query));
  const run = new TrigramRun(trigramsOf(text), queryTrigrams);
  let bestSimilarity = 0;
  run.trigrams.forEach((trigram, end) => {
    run.extendTo(end);
    if (queryTrigrams.has(trigram)) bestSimilarity = Math.max(bestSimilarity, run.shrinkToBest(end));
  });
  return bestSimilarity;
}

class TrigramRun {
  private readonly lastSeen = new Map<string, number>();
  private start = -1;
  private distinctCount = 0;
  private sharedCount = 0;

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
      this.distinctCount += 1;
      if (isInQuery) this.sharedCount += 1;
    }
    this.lastSeen.set(trigram, end);
  }

  shrinkToBest(end: number): number {
    const previousStart = this.start;
    let { sharedCount, distinctCount } = this;
    let bestSimilarity = this.similarity(sharedCount, distinctCount);
    for (let start = previousStart; start <= end; start += 1) {
      const similarity = this.similarity(sharedCount, distinctCount);
      if (similarity > bestSimilarity) {
        bestSimilarity = similarity;
        Object.assign(this, { start, sharedCount, distinctCount });
      }
      const trigram = this.trigrams[start] as string;
      if (this.lastSeen.get(trigram) !== start) continue;
      distinctCount -= 1;
      if (this.queryTrigrams.has(trigram)) sharedCount -= 1;
    }
    for (const [start, trigram] of this.trigrams.slice(previousStart, this.start).entries()) {
      if (this.lastSeen.get(trigram) === previousStart + start) this.lastSeen.delete(trigram);
    }
    return bestSimilarity;
  }

  /** Computes in single precision, like PostgreSQL. */
  private similarity(sharedCount: number, distinctCount: number): number {
    return Math.fround(sharedCount / (this.queryTrigrams.size + distinctCount - sharedCount));
  }
}
