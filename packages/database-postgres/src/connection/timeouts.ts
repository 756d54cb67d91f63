/** Milliseconds. The server times out before the client; a statement times out before its transaction. */
export const TIMEOUTS = {
  bulkStatement: 15_000,
  bulkQuery: 16_000,

  acquire: 2_000,
  // After its first write, a call may retry for this long to get a connection.
  acquireAfterWrite: 5_000,
  lock: 2_000,
  statement: 5_000,
  query: 7_000,
  idleInTransaction: 10_000,
  transaction: 12_000,
  idleConnection: 300_000,
};
