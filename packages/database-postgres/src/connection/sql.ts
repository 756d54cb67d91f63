export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Sql {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
