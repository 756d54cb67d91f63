import type { MigrationInterface, QueryRunner } from 'typeorm';

// The characters that `trim` of JavaScript removes; `btrim` alone removes only spaces.
const BLANKS =
  '\\0009\\000a\\000b\\000c\\000d\\0020\\00a0\\1680\\2000\\2001\\2002\\2003\\2004' +
  '\\2005\\2006\\2007\\2008\\2009\\200a\\2028\\2029\\202f\\205f\\3000\\feff';

export function trimSql(text: string): string {
  return `btrim(${text}, U&'${BLANKS}')`;
}

/** Returns SQL of the text like `looseCode` of the kernel. Statements must use it, so that the index serves them. */
export function looseCodeSql(text: string): string {
  return `lower(${trimSql(text)})`;
}

/** Finds a voucher by a code that a person typed. */
export class LooseVoucherCodes1763700000035 implements MigrationInterface {
  readonly name = 'LooseVoucherCodes1763700000035';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index vouchers_loose_code_idx on vouchers (app_id, (${looseCodeSql('code')}))`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
