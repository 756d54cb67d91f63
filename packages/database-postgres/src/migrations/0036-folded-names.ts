import type { MigrationInterface, QueryRunner } from 'typeorm';
import { latinSql } from './0005-people-and-sessions.js';

// The characters that `\s` of JavaScript matches, because `\s` of PostgreSQL depends on the locale. Leaves out the space,
// because replacing single spaces takes most of the time, and the line feed, which separates searched texts.
const BLANKS = '\\t\\v-\\r\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const repeated = (blanks: string): string => `[${blanks}][ ${blanks}]*| [ ${blanks}]+`;
const APOSTROPHES = '‘’ʼ´`';

// The functions must give the same results as those of `folding.ts` of the package database. They call built-in functions only,
// because PostgreSQL 17 rebuilds indexes without the schemas of the search path.
const FUNCTIONS = [
  `create function name_sort_key(text, text) returns text language plpgsql immutable parallel safe as $$
    declare
      name text := case when $1 is null then $2 when $2 is null then $1 else $1 || chr(1) || $2 end;
      folded text := name;
    begin
      if octet_length(name) <> char_length(name) then
        folded := regexp_replace(normalize(${latinSql('name')}, NFD), '[\\u0300-\\u036f]', '', 'g');
      end if;
      folded := lower(btrim(regexp_replace(folded, '${repeated(`${BLANKS}\\n`)}', ' ', 'g')));
      folded := replace(replace(folded, ' ' || chr(1), chr(1)), chr(1) || ' ', chr(1));
      return left(folded, 160) || chr(1) || left(name, 160);
    end
  $$`,
  `create function search_key(folded text, phone text) returns text language plpgsql immutable parallel safe as $$
    begin
      if octet_length(folded) <> char_length(folded) or position(chr(96) in folded) > 0 then
        folded := translate(folded, '${APOSTROPHES}', '''''''''''');
      end if;
      if position('  ' in folded) > 0 or folded ~ '[${BLANKS}]' then
        folded := regexp_replace(folded, '${repeated(BLANKS)}', ' ', 'g');
      end if;
      folded := replace(folded, 'dj', 'd');
      return case when phone is null then folded
        else folded || chr(10) || regexp_replace(phone, '[^0-9]+', '', 'g') end;
    end
  $$`,
];

// Other collations ignore the separator of names. A page of files and its counts read only the index, so that it holds
// the names too.
const INDEXES = [
  'drop index customers_name_idx',
  'create index customers_name_idx on customers (app_id, name_sort_key(first_name, last_name) collate "C", id)',
  'drop index proforma_orders_name_idx',
  `create index proforma_orders_name_idx
    on proforma_orders (app_id, name_sort_key(customer_last_name, customer_first_name) collate "C", id)`,
  `create index orders_name_idx
    on orders (app_id, name_sort_key(customer_last_name, customer_first_name) collate "C", id)`,
  'drop index cdn_files_listed_idx',
  `create index cdn_files_listed_idx on cdn_files (app_id, name_sort_key(filename, null) collate "C", id)
    include (hidden, filename) where state = 'active'`,
  'drop index cdn_files_kind_idx',
  `create index cdn_files_kind_idx on cdn_files (app_id, kind, name_sort_key(filename, null) collate "C", id)
    where state = 'active'`,
  `create index cdn_files_folder_idx on cdn_files (app_id, folder, name_sort_key(filename, null) collate "C", id)
    where state = 'active'`,
  // Newest first means the order date, which orders_date_idx has.
  'drop index orders_newest_idx',
  'drop index orders_customer_idx',
  `create index orders_customer_idx on orders (app_id, customer_id, order_date desc, id desc)
    where customer_id is not null`,
  'drop index orders_location_idx',
  `create index orders_location_idx on orders (app_id, app_location_id, order_date desc, id desc)
    where app_location_id is not null`,
  'drop index customers_search_idx',
  'create index customers_search_idx on customers using gin (app_id, search_key(search_text, phone) gin_trgm_ops)',
  'drop index orders_search_idx',
  'create index orders_search_idx on orders using gin (app_id, search_key(search_text, customer_phone) gin_trgm_ops)',
];

export class FoldedNames1763700000036 implements MigrationInterface {
  readonly name = 'FoldedNames1763700000036';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    // Indexes by letter triples are built faster with more memory.
    await runner.query("set local maintenance_work_mem = '256MB'");
    for (const statement of [...FUNCTIONS, ...INDEXES]) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
