export type FieldName<Column extends string> = Column extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<FieldName<Rest>>}`
  : Column;

export type Fields<Columns> = {
  readonly [Column in keyof Columns & string as FieldName<Column>]: Columns[Column];
};

const fieldNames = new Map<string, string>();

function fieldName(column: string): string {
  const cachedName = fieldNames.get(column);
  if (cachedName !== undefined) return cachedName;
  const name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, name);
  return name;
}

export function fieldsOf<Row extends object, Name extends keyof Row & string>(
  row: Row,
  names: readonly Name[],
): Fields<Pick<Row, Name>> {
  const record: Record<string, unknown> = {};
  for (const name of names) record[fieldName(name)] = row[name];
  return record as Fields<Pick<Row, Name>>;
}

export function columnsOf<Name extends string, Value extends { readonly [Field in FieldName<Name>]: unknown }>(
  record: Value,
  names: readonly Name[],
): { readonly [Column in Name]: Value[FieldName<Column>] } {
  const row: Record<string, unknown> = {};
  for (const name of names) row[name] = record[fieldName(name) as keyof Value];
  return row as { readonly [Column in Name]: Value[FieldName<Column>] };
}

export function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  const subset: Partial<Pick<Row, Name>> = {};
  for (const name of names) subset[name] = row[name];
  return subset as Pick<Row, Name>;
}
