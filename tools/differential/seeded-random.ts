/** Pseudo-random choices that are equal for equal seeds. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns a number from 0 inclusive to 1 exclusive, by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an integer; both bounds are included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('There is nothing to pick from');
    return items[this.between(0, items.length - 1)] as Item;
  }

  /** Picks distinct items and keeps their order. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const indexes = [...items.keys()];
    while (indexes.length > count) indexes.splice(this.between(0, indexes.length - 1), 1);
    return indexes.map((index) => items[index] as Item);
  }

  weighted<Item>(items: readonly Item[], weightOf: (item: Item) => number): Item {
    const weights = items.map(weightOf);
    let remaining = this.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const index = weights.findIndex((weight) => (remaining -= weight) < 0);
    return items[index < 0 ? items.length - 1 : index] as Item;
  }
}
