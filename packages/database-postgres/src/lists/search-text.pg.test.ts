import { makeTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { Postgres } from '../connection/postgres.js';
import { dataSourceFor, migrationSourceFor } from '../connection/data-source.js';
import { MIGRATIONS } from '../migrations/index.js';
import { migrate } from '../migrate.js';
import { asciiOf, foldForPeople, foldSearched, nameSortKey } from '@back-office/database';
import { nameKey } from './sort-keys.js';

const MIGRATIONS_BEFORE_FOLDING = 4;

let testDatabase: TestDatabase;
let database: Postgres;

beforeAll(async () => {
  testDatabase = await makeTestDatabase({ isEmpty: true });
  const source = await migrationSourceFor(testDatabase.connection, MIGRATIONS).initialize();
  Object.assign(source, { migrations: source.migrations.slice(0, MIGRATIONS_BEFORE_FOLDING) });
  await source.runMigrations();
  await source.query(`
    insert into apps (name, currency, media_prefix, inserted_at, updated_at)
    select 'A', 'RSD', 'abcdefgh', now(), now()`);
  await source.query(`
    insert into customers (app_id, data_part, time_part, email, first_name, last_name, inserted_at, updated_at)
    select id, 1, 1, 'Milica@example.com', 'Милица', 'Đorđević', now(), now() from apps`);
  await source.query(`
    insert into orders (app_id, data_part, time_part, order_number, order_date, payment_status_id, customer_last_name,
      market_id, currency, sales_channel_id, sales_channel, fees, sales, discount, net_sales, vat, end_sales, debt,
      inserted_at, updated_at)
    select id, 1, 1, 'N-1', now(), 1, 'ЉУБИЋ', 1, 'RSD', 1, 'web', '[]', 0, 0, 0, 0, 0, 0, now(), now() from apps`);
  await source.destroy();
  await migrate(testDatabase.connection);
  database = await Postgres.open(dataSourceFor(testDatabase.connection, 2));
});
afterAll(async () => {
  await database.source.destroy();
  await testDatabase.drop();
});

describe('search texts of people and orders that were stored before texts were folded', () => {
  it('are folded by a migration', async () => {
    const rows = await database.rows<{ search_text: string }>(
      'select search_text from customers union all select search_text from orders',
    );
    expect(rows.map((row) => row.search_text.trim().replaceAll(/\s+/g, ' '))).toEqual([
      'milica dordevic milica@example.com dordevic milica',
      'n-1 ljubic ljubic',
    ]);
  });
});

describe('stored and searched texts about people', () => {
  const LETTERS = Array.from({ length: 0xffff }, (_, index) => index + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCharCode(code));

  const foldByBoth = (texts: readonly string[]) =>
    database.rows<{ text: string; kept: string; searched: string }>(
      `select text, folded_for_people(text) as kept, lower(searched) as searched
       from unnest($1::text[], $2::text[]) as row (text, searched)`,
      [texts, texts.map(foldForPeople)],
    );

  it('are folded in the same way for every letter', async () => {
    const rows = await foldByBoth(LETTERS);
    expect(rows.filter(({ kept, searched }) => kept !== searched)).toEqual([]);
    expect(rows).toHaveLength(LETTERS.length);
  });

  it('have the same sort keys in both databases', async () => {
    const pairs = [
      ...LETTERS.map((letter) => [`a ${letter}  b`, letter] as const),
      [null, 'x'],
      ['x', null],
      [null, null],
    ];
    const rows = await database.rows<{ first: string | null; second: string | null; key: string | null }>(
      `select first, second, name_sort_key(first, second) as key
       from unnest($1::text[], $2::text[]) as row (first, second)`,
      [pairs.map(([first]) => first), pairs.map(([, second]) => second)],
    );
    // The databases lower-case some letters of other scripts differently.
    const differences = rows.filter(({ first, second, key }) => key !== nameSortKey(first, second));
    expect(differences.filter(({ second }) => second?.toLowerCase() === second)).toEqual([]);
    expect(rows).toHaveLength(pairs.length);
  });

  it('are sorted alike whatever the collation of the database', async () => {
    const names = ['Anna Bo', 'An Zec', 'An-Bo A'].map((name) => name.split(' '));
    const rows = await database.rows<{ first: string }>(
      `select first from (
         select first collate "und-x-icu" as first, last collate "und-x-icu" as last
         from unnest($1::text[], $2::text[]) as row (first, last)
       ) as names order by ${nameKey('first', 'last').sql}`,
      [names.map(([first]) => first), names.map(([, last]) => last)],
    );
    expect(rows.map(({ first }) => first)).toEqual(['An', 'An-Bo', 'Anna']);
  });

  it('have the same search keys in both databases', async () => {
    const texts = LETTERS.map((letter) => `Dj${letter}  a`);
    const rows = await database.rows<{ text: string; kept: string; searched: string }>(
      `select text, search_key(folded_for_people(text), null) as kept, lower(searched) as searched
       from unnest($1::text[], $2::text[]) as row (text, searched)`,
      [texts, texts.map(foldSearched)],
    );
    expect(rows.filter(({ kept, searched }) => kept !== searched)).toEqual([]);
    expect(rows).toHaveLength(texts.length);
  });

  it('are folded like names of products, in Latin and Cyrillic letters', async () => {
    const letters = LETTERS.filter(
      (letter) => /[\p{L}]/u.test(letter) && /[\0-\x7f\u00c0-\u017f\u0400-\u045fҐґ]/.test(letter),
    );
    const rows = await foldByBoth(letters);
    expect(rows.filter(({ text, kept }) => kept !== asciiOf(text))).toEqual([]);
    expect(rows.length).toBeGreaterThan(300);
  });

  it('contain no % or _ that the original text lacks', async () => {
    const signs = Array.from({ length: 0x700 }, (_, index) => String.fromCodePoint(0x1f300 + index));
    const rows = await foldByBoth([...LETTERS, ...signs]);
    expect(rows.filter(({ text, kept }) => /[%_]/.test(kept) && kept !== text)).toEqual([]);
  });

  it.each([
    ['Ђорђе Џомбић, Њива Љиг', 'dorde dzombic, njiva ljig'],
    ['Đorđe Džombić, Njiva Ljig', 'dorde dzombic, njiva ljig'],
    ['Нові Ґрати Щука', 'novi grati shchuka'],
    ['Dvořák Łódź Straße Ærø', 'dvorak lodz strasse aero'],
    ['Zoe\u0308 C\u030c', 'zoe c'],
    ["100%_\\ O'Neil +381", "100%_\\ o'neil +381"],
  ])('are folded from %s to %s', async (text, folded) => {
    expect(await foldByBoth([text])).toEqual([{ text, kept: folded, searched: folded }]);
  });
});

describe('names stored by the old folding, which replaced symbols', () => {
  const MIGRATIONS_BEFORE_SIGNS = 12;

  it('are folded again by a migration', async () => {
    const oldDatabase = await makeTestDatabase({ isEmpty: true });
    const source = await migrationSourceFor(oldDatabase.connection, MIGRATIONS).initialize();
    Object.assign(source, { migrations: source.migrations.slice(0, MIGRATIONS_BEFORE_SIGNS) });
    await source.runMigrations();
    await source.query(`
      insert into apps (name, currency, media_prefix, inserted_at, updated_at)
      select 'A', 'RSD', 'abcdefgh', now(), now()`);
    await source.query(`
      insert into products (app_id, code, name, search_name, search_all, slug, price, lowest_price, inserted_at, updated_at)
      select apps.id, product.code, product.name, search_name, search_name || ' ' || lower(product.code), product.code, 1, 1,
        now(), now() from apps,
        (values ('A', '👟 Čizma', ':athletic_shoe: cizma'), ('B', 'Čaj_1', 'caj_1'), ('C', 'a_b', 'a_b'))
          as product (code, name, search_name)`);
    await source.query(`
      insert into product_variants (app_id, product_id, code, barcode, inserted_at, updated_at)
      select app_id, id, code || '-V', '123', now(), now() from products where code = 'A'`);
    await source.query(`
      insert into cdn_files (app_id, state, key, filename, tags, kind, mime, size, content, search_text, last_modified, inserted_at)
      select id, 'active', 'k', 'ć.png', '{❄,x_y}', 'image', 'image/png', 1, 'c', 'c.png :snowflake: x_y', now(), now()
      from apps`);
    await source.destroy();
    await migrate(oldDatabase.connection);
    const migratedSource = await migrationSourceFor(oldDatabase.connection, MIGRATIONS).initialize();
    expect(await migratedSource.query('select search_name, search_all from products order by code')).toEqual([
      { search_name: '👟 cizma', search_all: '👟 cizma a a-v 123' },
      { search_name: 'caj_1', search_all: 'caj_1 b' },
      { search_name: 'a_b', search_all: 'a_b c' },
    ]);
    expect(await migratedSource.query('select search_text from cdn_files')).toEqual([{ search_text: 'c.png ❄ x_y' }]);
    await migratedSource.destroy();
    await oldDatabase.drop();
  });
});
