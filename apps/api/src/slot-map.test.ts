import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const kernel = pathToFileURL(createRequire(import.meta.url).resolve('@back-office/kernel')).href;

/** Returns by how many MB the old generation grows while 4,000 large values pass through a map that holds 16. */
function growthOf(map: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { SlotMap } from '${kernel}';
    const oldSpaceMB = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size / 1e6;
    const largeValue = () => Array.from({ length: 100 }, () => Array.from({ length: 100 }, (_, index) => index));
    const map = new ${map}();
    const start = oldSpaceMB();
    let most = start;
    for (let key = 0; key < 4_000; key += 1) {
      map.set(key, largeValue());
      map.delete(key - 16);
      most = Math.max(most, oldSpaceMB());
    }
    console.log(most - start);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}

describe('values of a busy map', () => {
  it('leave memory soon after their removal', () => {
    expect(growthOf('SlotMap')).toBeLessThan(growthOf('Map') / 3);
  });
});
