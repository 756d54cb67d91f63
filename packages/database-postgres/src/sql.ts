export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement for each type of row in `Rows`. */
export type StatementOfEach<Rows extends readonly unknown[]> = { readonly [Index in keyof Rows]: Statement };
export type RowsOfEach<Rows extends readonly unknown[]> = { [Index in keyof Rows]: Rows[Index][] };

export interface Sql {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
