import type { MigrationInterface, QueryRunner } from 'typeorm';
import { foldForSearch, foldName } from '@back-office/database';

const BATCH = 5_000;

interface Row {
  readonly app_id: string;
  readonly id: string;
  readonly texts: readonly string[];
  readonly folded: string;
}

const FIND_PRODUCTS = `
  select app_id::text as app_id, id::text as id, array[name] as texts, search_name as folded from products
  where id > $1 and search_name ~ '[%_:]' and name ~ '[^[:ascii:]]' order by id limit ${BATCH}`;

const REFOLD_PRODUCT = `
  update products p set search_name = $3, search_all = concat_ws(' ', $3::text, lower(p.code), (
    select string_agg(concat_ws(' ', lower(v.code), lower(v.barcode)), ' ' order by v.id)
    from product_variants v where v.app_id = $1 and v.product_id = $2))
  where p.app_id = $1 and p.id = $2`;

const FIND_FILES = `
  select app_id::text as app_id, id::text as id, search_text as folded,
    array[coalesce(filename, ''), coalesce(alt, ''), coalesce(caption, '')] || tags as texts
  from cdn_files
  where id > $1 and search_text ~ '[%_:]'
    and concat_ws(' ', filename, alt, caption, array_to_string(tags, ' ')) ~ '[^[:ascii:]]'
  order by id limit ${BATCH}`;

const REFOLD_FILE = `update cdn_files set search_text = $3 where app_id = $1 and id = $2`;

/** Search texts now keep emoji. Before, they contained names such as `:athletic_shoe:`. */
export class SignsInSearch1763700000014 implements MigrationInterface {
  readonly name = 'SignsInSearch1763700000014';

  async up(runner: QueryRunner): Promise<void> {
    await refold(runner, FIND_PRODUCTS, REFOLD_PRODUCT, foldName);
    await refold(runner, FIND_FILES, REFOLD_FILE, foldForSearch);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}

async function refold(
  runner: QueryRunner,
  select: string,
  update: string,
  fold: (text: string) => string,
): Promise<void> {
  for (let lastId = '0'; ;) {
    const rows = (await runner.query(select, [lastId])) as Row[];
    for (const row of rows) {
      const folded = fold(row.texts.join(' '));
      // Updates one row per statement, because this works in a cluster too. Only few names contain emoji or symbols.
      if (folded !== row.folded) await runner.query(update, [row.app_id, row.id, folded]);
    }
    if (rows.length < BATCH) return;
    lastId = rows.at(-1)?.id ?? lastId;
  }
}
