/** Issues ids for parts of records. Ids of a dry run are not reused. */
export class Ids {
  private last = 0;

  next(): number {
    this.last += 1;
    return this.last;
  }
}
