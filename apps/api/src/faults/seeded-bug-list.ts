/** Replaces a text of the built service when it is loaded. */
export interface Change {
  /** The end of the module's address. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface SeededBug {
  readonly name: string;
  readonly changes: readonly Change[];
  /** The part of the suite that must find it. */
  readonly foundBy: 'bursts' | 'crash points' | 'load' | 'refunds' | 'store';
}

const one = (file: string, find: string, replace: string): readonly Change[] => [{ file, find, replace }];

/** Plausible bugs; the suite must find each of them. */
export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'Stock is read without a lock',
    changes: one('checkout/evaluation-statements.js', 'for update of s', ''),
    foundBy: 'bursts',
  },
  {
    name: 'A proforma is read without a lock and written without a version check',
    changes: one('proformas/proforma-statements.js', "wait: 'for update of p'", "wait: ''"),
    foundBy: 'bursts',
  },
  {
    name: 'An evaluation may be used twice',
    changes: [
      ...one(
        'checkout/evaluation-statements.js',
        'select * from order_processings where app_id = $1 and id = $2 for update',
        'select * from order_processings where app_id = $1 and id = $2',
      ),
      ...one(
        'migrations/0001-main-path.js',
        'constraint proforma_orders_evaluation_key unique (app_id, order_processing_id),',
        '',
      ),
    ],
    foundBy: 'bursts',
  },
  {
    name: 'A statement ignores the app',
    changes: one(
      'proformas/proforma-statements.js',
      'from proforma_orders p where p.app_id = $1 and p.id',
      'from proforma_orders p where $1::bigint > 0 and p.id',
    ),
    foundBy: 'bursts',
  },
  {
    name: 'A finished reservation stays',
    changes: one('database-postgres/dist/stock/reservations.js', 'c.line_id and c.qty = 0', 'c.line_id and false'),
    foundBy: 'load',
  },
  {
    name: 'The stock ledger differs by one piece',
    changes: one(
      'database-postgres/dist/stock/reservations.js',
      'm.id, e.variant_id, e.qty',
      'm.id, e.variant_id, e.qty + 1',
    ),
    foundBy: 'load',
  },
  {
    name: 'Every attempt of a refund uses a new key',
    changes: one('proforma/dist/refund.js', '`refund-${appId}-${refundId}`', '`refund-${appId}-${Math.random()}`'),
    foundBy: 'refunds',
  },
  {
    name: 'A failed refund makes no alert',
    changes: one('proforma/dist/refund.js', "outcome === 'refunded'\n        ? next", 'true\n        ? next'),
    foundBy: 'refunds',
  },
  {
    name: 'A keyed call is executed again',
    changes: one('write-once.js', 'return this.earlier !== null;', 'return false;'),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is repeated',
    changes: one(
      'client-transaction.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '40001' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is reported as not done',
    changes: one(
      'client-transaction.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '57P01' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A call that fails after its write reports no write',
    changes: one('call-writes.js', 'progress.hasWritten && impliesNothingWritten(error)', 'false'),
    foundBy: 'crash points',
  },
  {
    name: 'A file is acknowledged though the store failed',
    changes: one(
      'media/files/content-intake.js',
      "throw unreadable.error ?? new Unavailable('The store cannot take the file', { cause: error });",
      "return { bytes: 1, checksum: createHash('sha256').digest() };",
    ),
    foundBy: 'store',
  },
  {
    name: 'Needed bytes are removed from the store',
    changes: one(
      'media/serving/publication.js',
      'async publish(appId, { id, version, keys, mime, data }) {',
      `async publish(appId, { id, version, keys, mime, data }) {
        for (const key of keys) {
          const found = await this.copies.objects.ofKey(appId, key);
          if (found) await this.library.store.remove(found.content);
        }`,
    ),
    foundBy: 'load',
  },
];
