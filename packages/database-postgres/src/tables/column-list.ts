import type { Column } from './columns.js';

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type TableRow<C> = { readonly [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never };

export type FromJson<Row> = { readonly [Name in keyof Row]: ValueFromJson<Row[Name]> };
type ValueFromJson<Value> = Value extends Date ? string : Value;

export interface NamedColumns<Name extends string = string> {
  readonly names: readonly Name[];
  readonly list: string;
  readonly typedList: string;
  setFrom(alias: string): string;
}

export class ColumnList<C extends Columns> implements NamedColumns {
  readonly names: readonly Extract<keyof C, string>[];

  constructor(readonly columns: C) {
    this.names = Object.keys(columns) as Extract<keyof C, string>[];
  }

  get list(): string {
    return this.names.join(', ');
  }

  of(alias: string): string {
    return this.names.map((name) => `${alias}.${name}`).join(', ');
  }

  get typedList(): string {
    return this.names.map((name) => `${name} ${this.columns[name]?.sqlType}`).join(', ');
  }

  setFrom(alias: string): string {
    return this.names.map((name) => `${name} = ${alias}.${name}`).join(', ');
  }

  pick<Picked extends Extract<keyof C, string>>(...names: readonly Picked[]): ColumnList<Pick<C, Picked>> {
    return new ColumnList(Object.fromEntries(names.map((name) => [name, this.columns[name]])) as Pick<C, Picked>);
  }

  except<Excluded extends Extract<keyof C, string>>(...names: readonly Excluded[]): ColumnList<Omit<C, Excluded>> {
    const excludedNames = new Set<string>(names);
    const remainingColumns = Object.entries(this.columns).filter(([name]) => !excludedNames.has(name));
    return new ColumnList(Object.fromEntries(remainingColumns) as Omit<C, Excluded>);
  }
}
