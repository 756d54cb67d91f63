import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const urlOf = (name: string): string => pathToFileURL(createRequire(import.meta.url).resolve(name)).href;
const kernel = urlOf('@back-office/kernel');
const proforma = urlOf('@back-office/proforma');

/** Runs the script in a process of its own, because the test runner sets other options of V8. */
function resultOf(script: string, ...options: readonly string[]): string {
  const source = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { merge, SlotMap } from '${kernel}';
    import { convertedOrder, createProforma } from '${proforma}';
    import * as samples from '${new URL('testing/index.js', proforma).href}';
    ${script}`;
  const parameters = [...options, '--input-type=module', '--eval', source];
  const { NODE_OPTIONS: _, ...env } = process.env;
  return execFileSync(process.execPath, parameters, { encoding: 'utf8', env }).trim();
}

/** Returns by how many MB the old generation grows while 1,200 values pass through a map that holds 16. */
function growthOf(map: string): number {
  const growth = resultOf(`
    const oldSpaceMB = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size / 1e6;
    const makeArrays = (count) => Array.from({ length: count }, () => Array.from({ length: 100 }, (_, index) => index));
    const map = new ${map}();
    const start = oldSpaceMB();
    let most = start;
    for (let key = 0; key < 1_200; key += 1) {
      map.set(key, makeArrays(50));
      map.delete(key - 16);
      // Other work of a call. V8 then replaces the table less often than it collects the young generation.
      makeArrays(500);
      most = Math.max(most, oldSpaceMB());
    }
    console.log(most - start);`);
  return Number(growth);
}

describe('values of a busy map', () => {
  it('leave memory soon after their removal', () => {
    expect(growthOf('SlotMap')).toBeLessThan(growthOf('Map') / 2);
  });
});

const NEW_PROFORMA = `createProforma({
  evaluation: samples.anEvaluation(samples.withLine({ qty: 2 })), stock: [samples.aStockRow()], preferredWarehouse: null,
  number: 'P-1', lifetimeHours: 72, minimumBasketAmount: 0, now: samples.NOW })`;

describe('objects that share one hidden class', () => {
  it.each([
    ['merged objects', `merge({ first: 1, second: 2 }, { second: 3, third: 4 })`],
    ['new proformas', NEW_PROFORMA],
    ['lines of new proformas', `${NEW_PROFORMA}.lines[0]`],
    ['orders of proformas', `convertedOrder({ ...${NEW_PROFORMA}, convertedAt: samples.NOW, converted: {} }, {})`],
  ])('%s', (_, expression) => {
    const script = `
      const make = () => ${expression};
      for (let run = 0; run < 1_000; run += 1) make();
      console.log(%HaveSameMap(make(), make()));`;
    expect(resultOf(script, '--allow-natives-syntax')).toBe('true');
  });
});
