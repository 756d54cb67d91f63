import type { Clock } from '@back-office/kernel';
import {
  type EntityUsages,
  type FileUsages,
  type MediaApp,
  type PublicLibrary,
  type Usage,
  fileKeyOfUrl,
} from '@back-office/media';
import type { Transaction } from '../../connection/transaction.js';
import type { Postgres } from '../../connection/postgres.js';
import { RECORD_USAGES } from './record-usages.js';

const REPLACE_USAGES = `
  with removed as (
    delete from cdn_usages where app_id = $1 and entity_type = $2 and entity_id = $3
  )
  ${RECORD_USAGES}
  select $1, key, $2, $3, field, $4, url, $6
  from json_to_recordset($5) as used (ordinal int, key text, field text, url text) order by ordinal`;

export class SqlFileUsages implements FileUsages {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  replace(
    { id: appId, prefix }: MediaApp,
    { entity_type, entity_id, label = null, fields }: EntityUsages,
  ): Promise<Usage[]> {
    const libraryUsages = fields.flatMap(({ field, url }, ordinal) => {
      const key = fileKeyOfUrl(url, this.library.base, prefix);
      return key === undefined ? [] : [{ ordinal, key, field, url }];
    });
    const entity = { entity_type, entity_id, label, total_count: libraryUsages.length };
    return this.database.transaction(async (transaction) => {
      await lockEntity(transaction, appId, [entity_type, entity_id]);
      const values = [appId, entity_type, entity_id, label, JSON.stringify(libraryUsages), this.clock.now()];
      await transaction.runLast(REPLACE_USAGES, values);
      return libraryUsages.map(({ field, url }) => ({ ...entity, field, url }));
    });
  }
}

const USAGES_LOCK = 12;

/** Uses an advisory lock, because an entity has no row to lock. Entities with the same hash share the lock. */
async function lockEntity(transaction: Transaction, appId: number, name: readonly string[]): Promise<void> {
  transaction.locks('bulk');
  const text = 'select pg_advisory_xact_lock($1, hashtext($2))';
  await transaction.rows(text, [USAGES_LOCK, JSON.stringify([appId, ...name])]);
}
