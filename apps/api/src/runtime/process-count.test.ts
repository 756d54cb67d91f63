import { availableParallelism } from 'node:os';
import { processCountOf } from './process-count.js';

describe('the number of API processes', () => {
  it('is the number of cores with `auto`, or the configured number', () => {
    expect(processCountOf({ processes: 'auto', database: 'postgres' })).toBe(availableParallelism());
    expect(processCountOf({ processes: 3, database: 'postgres' })).toBe(3);
  });

  it('is one for a database in memory; a larger number is refused', () => {
    expect(processCountOf({ processes: 'auto', database: 'memory' })).toBe(1);
    expect(() => processCountOf({ processes: 2, database: 'memory' })).toThrow(
      'Bad configuration: PROCESSES: a database in memory belongs to one process',
    );
  });
});
