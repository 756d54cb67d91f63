import { TIMEOUTS } from '@back-office/database-postgres';
import { EDGE_TIMEOUTS } from './server.js';

describe('the timeouts of a request', () => {
  it('leave enough time for a bulk write', () => {
    expect(TIMEOUTS.transaction + TIMEOUTS.bulkStatement).toBeLessThan(EDGE_TIMEOUTS.request);
    expect([EDGE_TIMEOUTS.head, EDGE_TIMEOUTS.jsonBody, EDGE_TIMEOUTS.request]).toEqual([10_000, 30_000, 120_000]);
  });
});
