/** A text of the built service that is another one when it is loaded. */
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

/** What people do write; the suite must find each of them. */
export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'Stock is read without a lock',
    changes: one('checkout/evaluation-statements.query.js', 'for update of s', ''),
    foundBy: 'bursts',
  },
  {
    name: 'A proforma is read without a lock, and written without a look at its version',
    changes: one('proformas/proforma-statements.query.js', "wait: 'for update of p'", "wait: ''"),
    foundBy: 'bursts',
  },
  {
    name: 'An evaluation may be used twice',
    changes: [
      ...one(
        'checkout/evaluation-statements.query.js',
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
    name: 'The app is not asked for',
    changes: one(
      'proformas/proforma-statements.query.js',
      'from proforma_orders p where p.app_id = $1 and p.id',
      'from proforma_orders p where $1::bigint > 0 and p.id',
    ),
    foundBy: 'bursts',
  },
  {
    name: 'A reservation that is over stays',
    changes: one('stock/reservations.query.js', 'c.line_id and c.qty = 0', 'c.line_id and false'),
    foundBy: 'load',
  },
  {
    name: 'The ledger of stock leaves something out',
    changes: one('stock/reservations.query.js', 'm.id, e.variant_id, e.qty', 'm.id, e.variant_id, e.qty + 1'),
    foundBy: 'load',
  },
  {
    name: 'A refund is asked for under another key each time',
    changes: one('proforma/dist/refund.js', '`refund-${appId}-${refundId}', '`refund-${appId}-${Math.random()}'),
    foundBy: 'refunds',
  },
  {
    name: 'A refund that fails is told to nobody',
    changes: one('proforma/dist/refund.js', "outcome === 'refunded'\n        ? next", 'true\n        ? next'),
    foundBy: 'refunds',
  },
  {
    name: 'A keyed call is done again',
    changes: one('database/write-once.js', 'return this.earlier !== null;', 'return false;'),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is repeated',
    changes: one(
      'database/client-transaction.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '40001' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is said not to be done',
    changes: one(
      'database/client-transaction.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '57P01' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A call that cannot read what it has written says that it has written nothing',
    changes: one('database/call-writes.js', 'call.hasWritten && saysNothingIsWritten(error)', 'false'),
    foundBy: 'crash points',
  },
  {
    name: 'A file is acknowledged although the store has failed',
    changes: one(
      'media/content-intake.js',
      "throw unreadable.error ?? new Unavailable('The store cannot take the file', { cause: error });",
      "return { bytes: 1, checksum: createHash('sha256').digest() };",
    ),
    foundBy: 'store',
  },
  {
    name: 'Bytes that are needed are tidied away',
    changes: one(
      'media/publication.js',
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
