import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { ColumnList, type Columns, type TableRow } from './column-list.js';
import type { Column } from './columns.js';

type Name<C> = Extract<keyof C, string>;

interface Index<C> {
  readonly columns: readonly Name<C>[];
  readonly unique?: boolean;
  readonly where?: string;
}

type ForeignKey<C> = readonly [table: string, columns: { readonly [Own in Name<C>]?: string }];

interface Definition<C extends Columns> {
  readonly name: string;
  readonly schema?: string;
  readonly columns: C;
  readonly foreignKeys?: Readonly<Record<string, ForeignKey<C>>>;
  readonly uniques?: Readonly<Record<string, readonly Name<C>[]>>;
  /** Constraints that PostgreSQL checks at the end of the statement, or of the transaction when deferred. */
  readonly deferrableUniques?: Readonly<Record<string, readonly Name<C>[]>>;
  readonly checks?: Readonly<Record<string, string>>;
  readonly indexes?: Readonly<Record<string, readonly Name<C>[] | Index<C>>>;
  /** Indexes that TypeORM cannot express. The key is the name of the index, and the value is the reason. */
  readonly sqlIndexes?: Readonly<Record<string, string>>;
}

export class Table<C extends Columns> {
  readonly name: string;
  readonly entity: EntitySchema<TableRow<C>>;
  readonly columns: ColumnList<C>;
  readonly sqlIndexes: readonly string[];

  constructor(readonly definition: Definition<C>) {
    this.name = definition.name;
    this.columns = new ColumnList(definition.columns);
    this.sqlIndexes = Object.keys(definition.sqlIndexes ?? {});
    this.entity = entityOf(definition);
  }
}

export function defineTable<C extends Columns>(definition: Definition<C>): Table<C> {
  return new Table(definition);
}

export type RowOf<T> = T extends Table<infer C> ? TableRow<C> : T extends ColumnList<infer C> ? TableRow<C> : never;

function entityOf<C extends Columns>(definition: Definition<C>): EntitySchema<TableRow<C>> {
  const { name, schema, columns, foreignKeys = {}, uniques = {}, deferrableUniques = {}, checks = {} } = definition;
  const deferrable = 'INITIALLY IMMEDIATE' as const;
  const columnOptions = Object.entries(columns).map(([key, column]) => [key, optionsOf(column, `${name}_pkey`)]);
  return new EntitySchema<TableRow<C>>({
    name,
    tableName: name,
    ...(schema !== undefined && { schema }),
    columns: Object.fromEntries(columnOptions) as Record<keyof TableRow<C>, EntitySchemaColumnOptions>,
    foreignKeys: Object.entries(foreignKeys).map(([key, [target, pairs]]) => ({
      name: key,
      target,
      columnNames: Object.keys(pairs),
      referencedColumnNames: Object.values(pairs as Record<string, string>),
    })),
    uniques: [
      ...Object.entries(uniques).map(([key, names]) => ({ name: key, columns: [...names] })),
      ...Object.entries(deferrableUniques).map(([key, names]) => ({ name: key, columns: [...names], deferrable })),
    ],
    checks: Object.entries(checks).map(([key, expression]) => ({ name: key, expression })),
    indices: indicesOf(definition),
  });
}

function indicesOf<C extends Columns>({ columns, indexes = {}, sqlIndexes = {} }: Definition<C>) {
  const [firstColumn] = Object.keys(columns);
  return [
    ...Object.entries(indexes).map(([name, index]) => {
      const { columns: names, ...options } = 'columns' in index ? index : { columns: index };
      return { name, columns: [...names], ...options };
    }),
    // TypeORM requires a column, although it does not synchronize such an index.
    ...Object.keys(sqlIndexes).map((name) => ({ name, columns: [firstColumn as string], synchronize: false })),
  ];
}

function optionsOf({ scalar, options }: Column<unknown>, primaryKeyConstraintName: string): EntitySchemaColumnOptions {
  const { isArray, isPrimary, isNullable, isIdentity, generatedAs } = options;
  return {
    type: scalar,
    nullable: isNullable === true,
    ...(isArray && { array: true }),
    ...(isPrimary && { primary: true, primaryKeyConstraintName }),
    ...(isIdentity && { generated: 'increment' }),
    ...('default' in options && { default: options.default }),
    ...(generatedAs !== undefined && { generatedType: 'STORED', asExpression: generatedAs, select: false }),
  };
}
