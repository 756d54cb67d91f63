/** Issues ids of nested parts of records. Ids of a dry run are not reused. */
export class Ids {
  private lastId = 0;

  next(): number {
    this.lastId += 1;
    return this.lastId;
  }
}
