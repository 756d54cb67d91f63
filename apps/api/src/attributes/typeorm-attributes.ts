import type { Clock, Page } from '@back-office/kernel';
import { sum } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { findVariants } from '../catalogue/index.js';
import { valuesOf, waitForBulkTurn, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { planAttributes, type Definition, type Found, type Plan, type Rejected } from './attribute-plan.js';
import type { AttributesWish } from './attribute-rows.js';

// Whoever else writes definitions awaits the same turn, so what is found stays as it is.
const FIND_DEFINITIONS = `
  select id, external_ref, code, name from product_attribute_defs
  where app_id = $1 and (external_ref = any($2::text[]) or code = any($3::text[]))`;

const DEFINITION = '(place int, id bigint, external_ref text, code text, name text)';

// Uniqueness of codes is checked row by row: what changes hands is let go of first.
const RELEASE_CODES = `
  update product_attribute_defs set code = null where app_id = $1 and id = any($2::bigint[])`;

const UPDATE_DEFINITIONS = `
  update product_attribute_defs d set code = row.code, name = row.name, updated_at = $3
  from json_to_recordset($2) as row ${DEFINITION} where d.app_id = $1 and d.id = row.id`;

const INSERT_DEFINITIONS = `
  insert into product_attribute_defs (app_id, external_ref, code, name, inserted_at, updated_at)
  select $1, external_ref, code, name, $3, $3 from json_to_recordset($2) as row ${DEFINITION} order by place
  returning id, external_ref`;

const SET_VALUES = `
  insert into product_attributes as a (app_id, product_id, product_attribute_def_id, value, updated_at)
  select $1, product_id, definition_id, value, $3
  from json_to_recordset($2) as row (product_id bigint, definition_id bigint, value text)
  on conflict (app_id, product_id, product_attribute_def_id)
  do update set value = excluded.value, updated_at = excluded.updated_at where a.value <> excluded.value`;

const SHOWN = 'id, external_ref, code, name, inserted_at, updated_at';

export interface DefinitionRow {
  readonly id: number;
  readonly external_ref: string;
  readonly code: string | null;
  readonly name: string;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export interface Linked {
  readonly products: number;
  readonly definitionsCreated: number;
  readonly explain: Explanations | undefined;
}

/** Attribute definitions, and the values that products have of them. */
export class TypeOrmAttributes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets attributes of products and makes the definitions that are missing, all or nothing. Attributes that are not
   * named stay. A row that broke a rule already arrives as that rule's key.
   */
  put(
    appId: number,
    rows: readonly (AttributesWish | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<Linked | Rejected> {
    const wishes = rows.filter((row) => typeof row !== 'string');
    const work = async (transaction: Transaction): Promise<Linked | Rejected> => {
      const records = sum(wishes.map((wish) => 1 + wish.attributes.length));
      await waitForBulkTurn(transaction, 'attributes', appId, records);
      const plan = planAttributes(rows, await find(transaction, appId, wishes));
      if ('failures' in plan) return plan;
      await write(transaction, appId, plan, this.clock.now());
      if (dryRun) for (const definition of plan.created) definition.id = null;
      const counts = { products: plan.productIds.size, definitionsCreated: plan.created.length };
      return { ...counts, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }

  /** The definition with exactly this code. */
  async findDefinition(appId: number, code: string): Promise<DefinitionRow | undefined> {
    const text = `select ${SHOWN} from product_attribute_defs where app_id = $1 and code = $2`;
    return (await this.database.rows<DefinitionRow>(text, [appId, code]))[0];
  }

  /** Oldest first. */
  definitions(appId: number, { offset, limit }: Page): Promise<DefinitionRow[]> {
    const text = `select ${SHOWN} from product_attribute_defs where app_id = $1 order by id offset $2 limit $3`;
    return this.database.rows(text, [appId, offset, limit]);
  }
}

async function find(transaction: Transaction, appId: number, wishes: readonly AttributesWish[]): Promise<Found> {
  const attributes = wishes.flatMap((wish) => wish.attributes);
  const variants = await findVariants(transaction, appId, wishes);
  const definitions = await transaction.rows<Found['definitions'][number]>(FIND_DEFINITIONS, [
    appId,
    valuesOf(attributes, 'external_ref'),
    valuesOf(attributes, 'code'),
  ]);
  return { variants, definitions };
}

async function write(
  transaction: Transaction,
  appId: number,
  { created, changed, values }: Plan,
  now: Date,
): Promise<void> {
  if (changed.length > 0) {
    await transaction.rows(RELEASE_CODES, [appId, changed.map(({ id }) => id)]);
    await transaction.rows(UPDATE_DEFINITIONS, [appId, JSON.stringify(changed), now]);
  }
  if (created.length > 0) await insert(transaction, appId, created, now);
  const rows = values.map(({ productId, definition, value }) => ({
    product_id: productId,
    definition_id: definition.id,
    value,
  }));
  await transaction.last(SET_VALUES, [appId, JSON.stringify(rows), now]);
}

/** New definitions learn their ids by their references. */
async function insert(transaction: Transaction, appId: number, created: readonly Definition[], now: Date) {
  const rows = JSON.stringify(created.map((definition, place) => ({ ...definition, place })));
  const inserted = await transaction.rows<{ id: number; external_ref: string }>(INSERT_DEFINITIONS, [appId, rows, now]);
  const ids = new Map(inserted.map((row) => [row.external_ref, row.id]));
  for (const definition of created) definition.id = ids.get(definition.external_ref) ?? null;
}
