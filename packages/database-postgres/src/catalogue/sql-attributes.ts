import {
  planAttributes,
  productCount,
  type AttributePlan,
  type Attributes,
  type DefinitionDraft,
  type DesiredAttributes,
  type FoundAttributes,
  type WrittenAttributes,
} from '@back-office/catalogue';
import {
  rejectionOf,
  sum,
  withStoredForms,
  type BulkOptions,
  type Clock,
  type RejectedRows,
} from '@back-office/kernel';
import { valuesOf, beginLockedBulk } from '../connection/bulk.js';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { ATTRIBUTE_DEFINITIONS, PRODUCT_ATTRIBUTES } from '../tables/products.js';
import { findVariants } from './named-variants.js';

const DEFINITION_COLUMNS = ATTRIBUTE_DEFINITIONS.columns.pick('external_ref', 'code', 'name');
const VALUE_COLUMNS = PRODUCT_ATTRIBUTES.columns.pick('product_id', 'product_attribute_def_id', 'value');

const FIND_DEFINITIONS = `
  select id, ${DEFINITION_COLUMNS.list} from product_attribute_defs
  where app_id = $1 and (external_ref = any($2::text[]) or code = any($3::text[]))`;

const DEFINITION_ROW = `(ordinal int, id bigint, ${DEFINITION_COLUMNS.typedList})`;

// First clears codes that move to another definition, because PostgreSQL checks uniqueness row by row.
const RELEASE_CODES = `
  update product_attribute_defs set code = null where app_id = $1 and id = any($2::bigint[])`;

const UPDATE_DEFINITIONS = `
  update product_attribute_defs d set ${DEFINITION_COLUMNS.except('external_ref').setFrom('row')}, updated_at = $3
  from json_to_recordset($2) as row ${DEFINITION_ROW} where d.app_id = $1 and d.id = row.id`;

const INSERT_DEFINITIONS = `
  insert into product_attribute_defs (app_id, ${DEFINITION_COLUMNS.list}, inserted_at, updated_at)
  select $1, ${DEFINITION_COLUMNS.list}, $3, $3 from json_to_recordset($2) as row ${DEFINITION_ROW} order by ordinal
  returning id, external_ref`;

const SET_VALUES = `
  insert into product_attributes as a (app_id, ${VALUE_COLUMNS.list}, updated_at)
  select $1, ${VALUE_COLUMNS.list}, $3 from json_to_recordset($2) as row (${VALUE_COLUMNS.typedList})
  on conflict (app_id, product_id, product_attribute_def_id)
  do update set value = excluded.value, updated_at = excluded.updated_at where a.value <> excluded.value`;

export class SqlAttributes implements Attributes {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  put(
    appId: number,
    rows: readonly (DesiredAttributes | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<WrittenAttributes | RejectedRows> {
    const validRows = rows.filter((row) => typeof row !== 'string');
    const work = async (transaction: Transaction): Promise<WrittenAttributes | RejectedRows> => {
      const records = sum(validRows.map((row) => 1 + row.attributes.length));
      await beginLockedBulk(transaction, 'attributes', appId, records);
      const plan = planAttributes(rows, await findNamedRecords(transaction, appId, validRows));
      const rejection = rejectionOf(plan.outcomes);
      if (rejection) return rejection;
      await writePlan(transaction, appId, plan, this.clock.now());
      if (dryRun) for (const definition of plan.createdDefinitions) definition.id = null;
      const counts = { products: productCount(plan.outcomes), definitionsCreated: plan.createdDefinitions.length };
      return { ...counts, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

async function findNamedRecords(
  transaction: Transaction,
  appId: number,
  rows: readonly DesiredAttributes[],
): Promise<FoundAttributes> {
  const attributes = rows.flatMap((row) => row.attributes);
  const variants = await findVariants(transaction, appId, rows);
  const definitions = await transaction.rows<FoundAttributes['definitions'][number]>(FIND_DEFINITIONS, [
    appId,
    withStoredForms(valuesOf(attributes, 'external_ref')),
    valuesOf(attributes, 'code'),
  ]);
  return { variants, definitions };
}

async function writePlan(
  transaction: Transaction,
  appId: number,
  { createdDefinitions, changedDefinitions, values }: AttributePlan,
  now: Date,
): Promise<void> {
  if (changedDefinitions.length > 0) {
    await transaction.rows(RELEASE_CODES, [appId, changedDefinitions.map(({ id }) => id)]);
    await transaction.rows(UPDATE_DEFINITIONS, [appId, JSON.stringify(changedDefinitions), now]);
  }
  if (createdDefinitions.length > 0) await insertDefinitions(transaction, appId, createdDefinitions, now);
  const rows = values.map(({ productId, definition, value }) => ({
    product_id: productId,
    product_attribute_def_id: definition.id,
    value,
  }));
  await transaction.runLast(SET_VALUES, [appId, JSON.stringify(rows), now]);
}

async function insertDefinitions(
  transaction: Transaction,
  appId: number,
  newDefinitions: readonly DefinitionDraft[],
  now: Date,
) {
  const rows = JSON.stringify(newDefinitions.map((definition, ordinal) => ({ ...definition, ordinal })));
  const insertedRows = await transaction.rows<{ id: number; external_ref: string }>(INSERT_DEFINITIONS, [
    appId,
    rows,
    now,
  ]);
  const ids = new Map(insertedRows.map((row) => [row.external_ref, row.id]));
  for (const definition of newDefinitions) definition.id = ids.get(definition.external_ref) ?? null;
}
