import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const repositoryPath = resolve(import.meta.dirname, '../../../..');
const page = readFileSync(`${repositoryPath}/docs/security.md`, 'utf8');

describe('the page on security', () => {
  it('names tests that exist', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
      cwd: repositoryPath,
      encoding: 'utf8',
    });
    const names = new Set(files.split('\n').map((file) => basename(file)));
    const tests = [...page.matchAll(/`([\w.-]+\.(?:test|contract)\.ts)`/g)].map(([, name = '']) => name);
    expect(tests.length).toBeGreaterThan(80);
    expect(tests.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has one row per risk and names each requirement once', () => {
    expect(page.match(/^\| API\d+ /gm)).toHaveLength(10);
    const rows = page.split('\n').filter((line) => line.startsWith('| V'));
    const requirements = rows.flatMap((row) => row.split('|')[1]?.match(/V\d+\.\d+\.\d+/g) ?? []);
    expect(requirements.length).toBeGreaterThan(150);
    expect(requirements.filter((name, index) => requirements.indexOf(name) !== index)).toEqual([]);
  });
});
