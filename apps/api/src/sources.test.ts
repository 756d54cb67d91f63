import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What the script printed when it failed, or nothing. */
function complaintsOf(script: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', script], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve(error ? stdout + stderr : ''),
    );
  });
}

describe('the sources', () => {
  it.each(['types', 'lint', 'format:check'])(
    'pass `npm run %s`',
    async (script) => {
      expect(await complaintsOf(script)).toBe('');
    },
    120_000,
  );
});
