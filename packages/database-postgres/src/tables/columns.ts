type Scalar =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'double precision'
  | 'integer'
  | 'jsonb'
  | 'smallint'
  | 'text'
  | 'timestamptz'
  | 'uuid';

export interface ColumnOptions {
  readonly isArray?: true;
  readonly isPrimary?: true;
  readonly isNullable?: true;
  readonly isIdentity?: true;
  readonly default?: unknown;
  readonly generatedAs?: string;
}

export class Column<Value> {
  /** Exists only in the type, not at run time. */
  declare readonly value: Value;

  constructor(
    readonly scalar: Scalar,
    readonly options: ColumnOptions = {},
  ) {}

  get sqlType(): string {
    return `${this.scalar}${this.options.isArray ? '[]' : ''}`;
  }

  nullable(): Column<Value | null> {
    return this.with({ isNullable: true });
  }

  primary(): Column<Value> {
    return this.with({ isPrimary: true });
  }

  default(value: Value): Column<Value> {
    return this.with({ default: value });
  }

  generatedAs(expression: string): Column<Value> {
    return this.with({ generatedAs: expression });
  }

  private with<NewValue>(options: ColumnOptions): Column<NewValue> {
    return new Column<NewValue>(this.scalar, { ...this.options, ...options });
  }
}

export const bigint = (): Column<number> => new Column('bigint');
export const integer = (): Column<number> => new Column('integer');
export const smallint = (): Column<number> => new Column('smallint');
export const double = (): Column<number> => new Column('double precision');
export const boolean = (): Column<boolean> => new Column('boolean');
export const timestamptz = (): Column<Date> => new Column('timestamptz');
export const bytea = (): Column<Buffer> => new Column('bytea');
export const text = <Value extends string = string>(): Column<Value> => new Column('text');
export const uuid = (): Column<string> => new Column('uuid');
export const texts = <Value extends string = string>(): Column<readonly Value[]> =>
  new Column('text', { isArray: true });
export const bigints = (): Column<readonly (number | null)[]> => new Column('bigint', { isArray: true });
export const integers = (): Column<readonly number[]> => new Column('integer', { isArray: true });
export const jsonb = <Value>(): Column<Value> => new Column('jsonb');

export const identity = (): Column<number> => new Column('bigint', { isIdentity: true, isPrimary: true });

export const appId = (): Column<number> => bigint().primary();
