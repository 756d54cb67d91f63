/** Issues ids for entries of records, such as items. A dry run also uses up ids. */
export class Ids {
  private lastId = 0;

  next(): number {
    this.lastId += 1;
    return this.lastId;
  }
}
