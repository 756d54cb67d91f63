/** A replacement of text in a module of the built service, made when the module is loaded. */
export interface SeededChange {
  /** Ending of the module's URL. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface SeededBug {
  readonly name: string;
  readonly changes: readonly SeededChange[];
  /** The part of the suite that must find the bug. */
  readonly foundBy:
    | 'bombs'
    | 'bursts'
    | 'crash points'
    | 'every trick'
    | 'flood'
    | 'load'
    | 'refunds'
    | 'store'
    | 'strangers'
    | 'webhooks';
}

const changeOf = (file: string, find: string, replace: string): readonly SeededChange[] => [{ file, find, replace }];

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'Stock is read without a lock',
    changes: changeOf('checkout/evaluation-statements.js', 'for update of s', ''),
    foundBy: 'bursts',
  },
  {
    name: 'A proforma is read without a lock and written without a version check',
    changes: changeOf('proformas/proforma-statements.js', "wait: 'for update of p'", "wait: ''"),
    foundBy: 'bursts',
  },
  {
    name: 'An evaluation may be used twice',
    changes: [
      ...changeOf(
        'checkout/evaluation-statements.js',
        'select * from order_processings where app_id = $1 and id = $2 for update',
        'select * from order_processings where app_id = $1 and id = $2',
      ),
      ...changeOf(
        'migrations/0001-main-path.js',
        'constraint proforma_orders_evaluation_key unique (app_id, order_processing_id),',
        '',
      ),
    ],
    foundBy: 'bursts',
  },
  {
    name: 'A statement ignores the app',
    changes: changeOf(
      'proformas/proforma-statements.js',
      'from proforma_orders p where p.app_id = $1 and p.id',
      'from proforma_orders p where $1::bigint > 0 and p.id',
    ),
    foundBy: 'bursts',
  },
  {
    name: 'A finished reservation stays',
    changes: changeOf('database-postgres/dist/stock/reservations.js', 'c.line_id and c.qty = 0', 'c.line_id and false'),
    foundBy: 'load',
  },
  {
    name: 'The stock ledger differs by one piece',
    changes: changeOf(
      'database-postgres/dist/stock/reservations.js',
      'm.id, e.variant_id, e.qty',
      'm.id, e.variant_id, e.qty + 1',
    ),
    foundBy: 'load',
  },
  {
    name: 'Every attempt of a refund uses a new key',
    changes: changeOf('proforma/dist/refund.js', '`refund-${appId}-${refundId}`', '`refund-${appId}-${Math.random()}`'),
    foundBy: 'refunds',
  },
  {
    name: 'A failed refund makes no alert',
    changes: changeOf('proforma/dist/refund.js', "if (outcome === 'refunded')", 'if (true)'),
    foundBy: 'refunds',
  },
  {
    name: 'A keyed call is executed again',
    changes: changeOf('write-once.js', 'return this.earlierResult !== null;', 'return false;'),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is repeated',
    changes: changeOf(
      'transaction-answers.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '40001' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A write whose COMMIT was lost is reported as not done',
    changes: changeOf(
      'transaction-answers.js',
      "throw new UnknownOutcome('The connection was lost at COMMIT')",
      "throw Object.assign(new Error('lost'), { code: '57P01' })",
    ),
    foundBy: 'crash points',
  },
  {
    name: 'A call that fails after its write reports no write',
    changes: changeOf('call-writes.js', 'progress.hasWritten && impliesNothingWritten(error)', 'false'),
    foundBy: 'crash points',
  },
  {
    name: 'A file is acknowledged though the store failed',
    changes: changeOf(
      'media/files/content-intake.js',
      "throw new Unavailable('The store cannot take the file', { cause: error });",
      '',
    ),
    foundBy: 'store',
  },
  {
    name: 'Needed bytes are removed from the store',
    changes: changeOf(
      'media/serving/publication.js',
      'async publish(appId, { id, version, keys, mime, data }) {',
      `async publish(appId, { id, version, keys, mime, data }) {
        for (const key of keys) {
          const found = await this.copies.objects.findObject(appId, key);
          if (found) await this.library.store.remove(found.content);
        }`,
    ),
    foundBy: 'load',
  },
  {
    name: 'Apps take no turns at the database',
    changes: changeOf('database-postgres/dist/ports.js', 'runInContext({ party }, work)', 'work()'),
    foundBy: 'flood',
  },
  {
    name: 'All apps share the turns of one',
    changes: changeOf('http/express-app.js', "kind: 'app', key: holder.app.id", "kind: 'app', key: 0"),
    foundBy: 'every trick',
  },
  {
    name: 'A known token counts as unknown',
    changes: changeOf('http/callers.js', 'key && this.appOfKnownToken.get(key.mapKey)', 'undefined'),
    foundBy: 'strangers',
  },
  {
    name: 'One app may take every background job',
    changes: changeOf('media/processing/job-turns.js', 'jobs >= this.maxJobsOfApp', 'false'),
    foundBy: 'bombs',
  },
  {
    name: 'A payment has no event',
    changes: changeOf('proforma/dist/proforma-events.js', '...paymentEvents(change),', ''),
    foundBy: 'load',
  },
  {
    name: 'A refused delivery of a webhook is forgotten',
    changes: changeOf('webhooks/sql-webhook-queue.js', 'if (deliveries.length > 0) {', 'if (false) {'),
    foundBy: 'webhooks',
  },
];
