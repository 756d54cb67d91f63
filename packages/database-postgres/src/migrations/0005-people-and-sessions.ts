import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Letters folded to one letter; with capitals, since not every database lowercases them. */
const LETTERS = {
  these: 'ÐØðøĐđĦħıĸĿŀŁłŦŧſЀЁЂЃІЇЈЋЌЍЎАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЪЫЬЭабвгдежзийклмнопрстуфхцчшъыьэѐёђѓіїјћќѝўҐґ',
  become: `dododdhhiqllllttseedgiijckiuabvgdezziyklmnoprstufhccs'y'eabvgdezziyklmnoprstufhccs'y'eeedgiijckiugg`,
};
/** Letters folded to several. */
const GROUPS = {
  capitals: 'ÆÞĲŊŒЄЅЉЊЏЩЮЯ',
  small: 'æþĳŋœєѕљњџщюя',
  become: ['ae', 'th', 'ij', 'ng', 'oe', 'ie', 'dz', 'lj', 'nj', 'dz', 'shch', 'yu', 'ya'],
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function latinOf(text: string): string {
  const single = `translate(${text}, ${quoted(LETTERS.these + GROUPS.capitals)}, ${quoted(LETTERS.become + GROUPS.small)})`;
  const groups = [...GROUPS.small].map((letter, index) => [letter, GROUPS.become[index] ?? ''] as const);
  return [...groups, ['ß', 'ss'], ['ŉ', "'n"]].reduce(
    (inner, [letter = '', latin = '']) => `replace(${inner}, ${quoted(letter)}, ${quoted(latin)})`,
    single,
  );
}

/** Has the name in both orders, as people may type either part first. */
const person = (first: string, last: string, ...others: string[]): string =>
  [first, last, ...others].map((part) => `coalesce(${part}, '')`).join(" || ' ' || ") +
  ` || chr(10) || coalesce(${last}, '') || ' ' || coalesce(${first}, '')`;

/** Indexes of sessions by end, and of people by folded text (Cyrillic, Latin, accents). */
const STATEMENTS = [
  `create index access_tokens_ended_idx on access_tokens (least(expires_at, revoked_at)) where kind = 'session'`,
  // Short path for ASCII. Keep equal to foldedForPeople, which folds searched texts.
  `create function folded_for_people(text) returns text language sql immutable strict parallel safe as $$
    select case when octet_length($1) = char_length($1) then lower($1)
      else lower(regexp_replace(normalize(${latinOf('$1')}, NFD), '[\\u0300-\\u036f]', '', 'g')) end
  $$`,
  `alter table orders drop column search_text`,
  `alter table orders add column search_text text generated always as (folded_for_people(
    order_number || ' ' || coalesce(invoice_number, '') || ' ' ||
    ${person('customer_first_name', 'customer_last_name', 'customer_email', 'customer_phone')}
  )) stored`,
  `create index orders_search_idx on orders using gin (app_id, search_text gin_trgm_ops)`,
  `alter table customers drop column search_text`,
  `alter table customers add column search_text text generated always as (folded_for_people(
    ${person('first_name', 'last_name', 'email', 'phone')}
  )) stored`,
  `create index customers_search_idx on customers using gin (app_id, search_text gin_trgm_ops)`,
];

export class PeopleAndSessions1763700000005 implements MigrationInterface {
  readonly name = 'PeopleAndSessions1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
