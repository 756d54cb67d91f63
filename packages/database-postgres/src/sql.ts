export interface Sql {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
