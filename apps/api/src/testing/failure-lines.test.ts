import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const SUITE = `import { Second } from './cycle.js';

interface Pair {
  readonly left: number;
  readonly right: number;
}

function marked(_target: unknown): void {}

@marked
export class First {
  constructor(readonly pair: Pair) {}

  next(): Second {
    return new Second(this);
  }
}

it('expects', () => {
  expect(new First({ left: 1, right: 2 }).pair.left).toBe(2);
});

it('rejects', async () => {
  await Promise.reject(new Error('thrown'));
});

it('calls another file', () => {
  new First({ left: 1, right: 2 }).next().fail();
});

it.each([1])('takes too long', () => new Promise(() => {}), 20);
`;

const CYCLE = `import { First } from './fails.test.js';

interface Linked {
  readonly first: First;
}

export class Second implements Linked {
  constructor(readonly first: First) {}

  fail(): never {
    throw new Error(First.name);
  }
}
`;

/** Runs the suite in `folder`. Returns the report of Jest. */
function report(folder: string): Promise<string> {
  const config = {
    rootDir: folder,
    runtime: `${ROOT}apps/api/src/testing/native-runtime.cjs`,
    testRunner: `${ROOT}apps/api/src/testing/measured-suite.cjs`,
    testEnvironment: 'node',
    transform: {},
    testMatch: ['<rootDir>/*.test.ts'],
  };
  const args = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, _stdout, stderr) => resolve(stderr));
  });
}

describe('a failing test', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'back-office-failures-')));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'fails.test.ts'), SUITE);
    writeFileSync(join(folder, 'cycle.ts'), CYCLE);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is reported with its line, in a file with types, decorators and an import cycle', async () => {
    const lines = (await report(folder)).match(/\b(?:fails\.test|cycle)\.ts:\d+:\d+/g);
    expect(lines).toEqual([
      'fails.test.ts:20:54',
      'fails.test.ts:24:24',
      'cycle.ts:11:11',
      'fails.test.ts:28:43',
      'fails.test.ts:31:12',
    ]);
  }, 30_000);
});
