import type { Customer } from '@back-office/customers';
import { State } from './state.js';
import { Memory, Table, type Stored } from './memory.js';

interface NamedRow extends Stored {
  readonly name: string;
}

describe('a transaction in memory', () => {
  const openTable = () => {
    const memory = new Memory();
    const table = new Table<NamedRow>(memory);
    const { id } = table.insert(1, { name: 'first' });
    const names = () => table.all(1).map(({ name }) => name);
    return { memory, table, id, names };
  };
  const changeAll = (table: Table<NamedRow>, id: number): void => {
    table.put(1, { id, name: 'changed' });
    table.insert(1, { name: 'second' });
    table.delete(1, id);
  };

  it('keeps its writes', () => {
    const { memory, table, id, names } = openTable();
    memory.transaction(() => changeAll(table, id));
    expect(names()).toEqual(['second']);
  });

  it.each([
    ['throws', { dryRun: false }],
    ['is a dry run', { dryRun: true }],
  ])('rolls back its writes when it %s', (_, options) => {
    const { memory, table, id, names } = openTable();
    const run = () =>
      memory.transaction(() => {
        changeAll(table, id);
        if (!options.dryRun) throw new Error('stop');
      }, options);
    if (options.dryRun) run();
    else expect(run).toThrow('stop');
    expect(names()).toEqual(['first']);
  });

  it('calls `commit` of a subclass, and is rolled back when `commit` throws', () => {
    const commits: string[] = [];
    class ObservedMemory extends Memory {
      protected override commit(): void {
        commits.push('commit');
        if (commits.length > 1) throw new Error('disk full');
      }
    }
    const memory = new ObservedMemory();
    const { customers } = new State(memory);
    const add = (options = {}) => memory.transaction(() => customers.put(1, { id: 7 } as Customer), options);
    add({ dryRun: true });
    expect(commits).toEqual([]);
    add();
    expect(customers.all(1)).toEqual([{ id: 7 }]);
    customers.delete(1, 7);
    expect(add).toThrow('disk full');
    expect(customers.all(1)).toEqual([]);
  });

  it('assigns ids above the id of a stored record', () => {
    const { table } = openTable();
    table.put(1, { id: 7, name: 'kept' });
    expect(table.insert(2, { name: 'new' }).id).toBe(8);
  });

  it('throws when it is asynchronous or nested', () => {
    const { memory } = openTable();
    expect(() => memory.transaction(() => Promise.resolve())).toThrow('must be synchronous');
    expect(() => memory.transaction(() => memory.transaction(() => 1))).toThrow('inside');
  });

  it('sees only records of its app', () => {
    const { table, id } = openTable();
    expect([table.get(2, id), table.all(2)]).toEqual([undefined, []]);
  });

  it('restores the order of the records when it rolls back a deletion', () => {
    const { memory, table, id, names } = openTable();
    table.insert(1, { name: 'second' });
    memory.transaction(() => table.delete(1, id), { dryRun: true });
    expect(names()).toEqual(['first', 'second']);
  });
});
