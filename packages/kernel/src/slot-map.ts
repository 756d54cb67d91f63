/**
 * A map for values that are removed soon, in the order of insertion. V8 replaces the table of a busy `Map` again and
 * again. A replaced table in the old generation keeps its values, and all that they refer to, until the next full
 * garbage collection. Here, the values are in an array, which keeps the length of the largest number of values.
 */
export class SlotMap<Key extends number | string, Value extends object> {
  private readonly slotByKey = new Map<Key, number>();
  private readonly values: (Value | undefined)[] = [];
  private readonly freeSlots: number[] = [];

  get size(): number {
    return this.slotByKey.size;
  }

  has(key: Key): boolean {
    return this.slotByKey.has(key);
  }

  get(key: Key): Value | undefined {
    const slot = this.slotByKey.get(key);
    return slot === undefined ? undefined : this.values[slot];
  }

  /** Adds the value at the end; a known key keeps its place. */
  set(key: Key, value: Value): void {
    const slot = this.slotByKey.get(key) ?? this.freeSlots.pop() ?? this.values.length;
    this.slotByKey.set(key, slot);
    this.values[slot] = value;
  }

  delete(key: Key): boolean {
    const slot = this.slotByKey.get(key);
    if (slot === undefined) return false;
    this.slotByKey.delete(key);
    this.values[slot] = undefined;
    this.freeSlots.push(slot);
    return true;
  }

  keys(): Iterable<Key> {
    return this.slotByKey.keys();
  }

  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const [key, slot] of this.slotByKey) yield [key, this.values[slot] as Value];
  }
}
