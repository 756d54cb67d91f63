/** Installs the packages of `tools`, unless its lock file has not changed since the last installation. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TOOLS = fileURLToPath(new URL('../../../../tools/', import.meta.url));
const INSTALLED_LOCK = `${TOOLS}node_modules/.installed-package-lock.json`;

const lock = readFileSync(`${TOOLS}package-lock.json`, 'utf8');
if (!existsSync(INSTALLED_LOCK) || readFileSync(INSTALLED_LOCK, 'utf8') !== lock) {
  process.stderr.write('Installing the packages of tools …\n');
  execFileSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: TOOLS,
    stdio: 'inherit',
  });
  writeFileSync(INSTALLED_LOCK, lock);
}
