import { failureOf, isUpstreamLost, violates } from './failures.js';

const duplicateError = (details: object) => ({ code: '23505', ...details });
const message = 'duplicate key value violates unique constraint "cards_barcode_key_102228"';

describe('violates', () => {
  it('recognizes a unique key by its name, with or without a suffix', () => {
    expect(violates(duplicateError({ constraint: 'cards_barcode_key' }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicateError({ constraint: 'cards_barcode_key_102228' }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicateError({ constraint: 'cards_pkey', message }), 'cards_barcode_key')).toBe(false);
  });

  it('recognizes a unique key by the message of an error without a name', () => {
    expect(violates(duplicateError({ message }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicateError({ message }), 'cards_pkey')).toBe(false);
    expect(violates({ code: '23503', message }, 'cards_barcode_key')).toBe(false);
  });
});

describe('failureOf', () => {
  it.each([
    ['its disk is full', { code: '53100', message: 'could not extend file "base/1": No space left on device' }],
    ['it has no memory', { code: '53200', message: 'out of memory' }],
    ['it has too many connections', { code: '53300', message: 'sorry, too many clients already' }],
    ['its disk is broken', { code: '58030', message: 'could not read block 1 in file "base/1"' }],
    ['a file may not grow', { code: 'XX000', message: 'could not write to log file "0001": File too large' }],
  ])('reports a server as unavailable when %s', (_, error) => {
    expect(failureOf(error)).toBe('unavailable');
  });

  it.each([
    ['canceling statement due to lock timeout', 'busy'],
    ['canceling statement due to statement timeout', 'busy'],
    ['deadlock detected', 'retry'],
    ['could not serialize access due to concurrent update', 'retry'],
    ['terminating connection due to administrator command', 'unavailable'],
    ['server closed the connection unexpectedly', 'unavailable'],
    [message, 'duplicate'],
  ])('recognizes another node’s error without its code: %s', (text, failure) => {
    expect(failureOf({ code: 'XX000', message: text })).toBe(failure);
  });

  it('retries after the loss of an intermediate result, and while shards move', () => {
    expect(failureOf({ code: 'CIINF', message: 'Query could not find the intermediate result file' })).toBe('retry');
    const moved = 'cannot find a worker that has active placements for all shards in the query';
    expect(failureOf({ code: '0A000', message: moved })).toBe('retry');
  });

  it('recognizes a plan that was made before a change of a table', () => {
    expect(failureOf({ code: '0A000', message: 'cached plan must not change result type' })).toBe('stale plan');
    expect(failureOf({ code: '0A000', message: 'cross-database references are not implemented' })).toBe('bug');
  });

  it('recognizes a stale plan in every language', () => {
    const error = { code: '0A000', message: 'in another language', routine: 'RevalidateCachedQuery' };
    expect(failureOf(error)).toBe('stale plan');
  });

  it.each([
    ['after an idle time', { code: '57P05', severity: 'FATAL' }],
    ['in a transaction without statements', { code: '25P03', severity: 'FATAL' }],
    ['for another reason', { code: 'XX001', severity: 'FATAL' }],
  ])('reports a connection as lost that the server ends %s', (_, error) => {
    expect(failureOf(error)).toBe('unavailable');
  });

  it.each(['ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE'])(
    'reports a server as unavailable when its connection ends with %s',
    (code) => {
      expect(failureOf({ code, message: `read ${code}` })).toBe('unavailable');
    },
  );

  it('prepares a statement again that the server does not know', () => {
    expect(failureOf({ code: '26000', message: 'prepared statement "s1" does not exist' })).toBe('stale plan');
  });

  it.each([
    [{ code: '08006', message: 'connection to the remote node failed' }, true],
    [{ code: 'XX000', message: 'server closed the connection unexpectedly' }, true],
    [{ code: 'XX000', message: 'could not commit transaction for shard 1 on at least one active node' }, true],
    [{ code: 'XX000', message: 'deadlock detected' }, false],
    [{ code: '53300', message: 'too many clients' }, false],
  ])('tells whether another node may have committed: %p', (error, isLost) => {
    expect(isUpstreamLost(error)).toBe(isLost);
  });

  it('reports internal errors as bugs', () => {
    expect(failureOf({ code: 'XX000', message: 'cache lookup failed for type 1' })).toBe('bug');
    expect(failureOf({ code: 'XX000', message: 'could not open relation with OID 1' })).toBe('bug');
  });
});
