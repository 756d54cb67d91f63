import { readFileSync } from 'node:fs';
import { SERVICE_VERSION } from './version.js';

describe('the version of the service', () => {
  it('equals the version in package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as object & {
      readonly version: string;
    };
    expect(SERVICE_VERSION).toBe(version);
  });
});
