import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a script. Returns its output if it fails, or an empty string. */
function failureOf(script: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', script], { cwd: ROOT }, (error, stdout, stderr) =>
      resolve(error ? stdout + stderr : ''),
    );
  });
}

describe('the sources', () => {
  it.each(['types', 'lint', 'format:check', 'spelling'])(
    'pass `npm run %s`',
    async (script) => {
      expect(await failureOf(script)).toBe('');
    },
    120_000,
  );
});
