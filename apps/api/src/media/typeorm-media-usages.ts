import type { Clock } from '@back-office/kernel';
import { usedKey } from '@back-office/media';
import type { Database, Transaction } from '../database/database.js';
import type { AppContext } from '../http/app-context.js';

/** Entities whose usages are recorded with the records themselves. */
export const OWN_ENTITY_TYPES: readonly string[] = ['product', 'product_variant', 'app_location'];

/**
 * The beginning of a statement that records uses, one for each place that holds a URL, in the transaction that stores the
 * URL there. Entities of the service have no label here: theirs is their name, at the moment it is asked for.
 */
export const RECORD_USAGES =
  'insert into cdn_usages (app_id, key, entity_type, entity_id, field, label, url, inserted_at)';

const REPLACE = `
  with removed as (
    delete from cdn_usages where app_id = $1 and entity_type = $2 and entity_id = $3
  )
  ${RECORD_USAGES}
  select $1, key, $2, $3, field, $4, url, $6
  from json_to_recordset($5) as used (place int, key text, field text, url text) order by place`;

export interface EntityUsages {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly label?: string | null | undefined;
  readonly fields: readonly { readonly field: string; readonly url: string }[];
}

export interface Usage {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly field: string;
  readonly label: string | null;
  readonly url: string;
  /** Of the list that it is in, all its pages together. */
  readonly total_count: number;
}

/** Where files of the library are used by what lives in the client: its pages, banners and the like. */
export class TypeOrmMediaUsages {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly libraryBase: string,
  ) {}

  /** Whatever was recorded of the entity makes room for this; URLs outside the app's library are left out. */
  replace(
    { id: appId, settings }: Pick<AppContext, 'id' | 'settings'>,
    { entity_type, entity_id, label = null, fields }: EntityUsages,
  ): Promise<Usage[]> {
    const used = fields.flatMap(({ field, url }, place) => {
      const key = usedKey(url, this.libraryBase, settings.media.prefix);
      return key === undefined ? [] : [{ place, key, field, url }];
    });
    const entity = { entity_type, entity_id, label, total_count: used.length };
    return this.database.transaction(async (transaction) => {
      await lockEntity(transaction, appId, [entity_type, entity_id]);
      const values = [appId, entity_type, entity_id, label, JSON.stringify(used), this.clock.now()];
      await transaction.last(REPLACE, values);
      return used.map(({ field, url }) => ({ ...entity, field, url }));
    });
  }
}

const USAGES = 12;

/** An entity has no row of its own that could be locked. Two that share a hash take turns for nothing. */
async function lockEntity(transaction: Transaction, appId: number, name: readonly string[]): Promise<void> {
  transaction.locks('bulk');
  const text = 'select pg_advisory_xact_lock($1, hashtext($2))';
  await transaction.rows(text, [USAGES, JSON.stringify([appId, ...name])]);
}
