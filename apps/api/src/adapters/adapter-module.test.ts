import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidConfig } from '../config.js';
import { missingMethods, openModule, type AdapterKind } from './adapter-module.js';

interface Greeter {
  greet(): string;
}

const GREETERS: AdapterKind<Greeter> = {
  variable: 'GREETER',
  exportName: 'openGreeter',
  problemWith: (answer) => missingMethods('greeter', answer, ['greet']),
};
const greeterSource = (text: string) =>
  `export const openGreeter = ({ NAME }) => ({ greet: () => '${text} ' + NAME });`;

describe('an adapter module', () => {
  const originalFolder = process.cwd();
  let folder: string;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'module-')));
    process.chdir(folder);
  });
  afterAll(async () => {
    process.chdir(originalFolder);
    await rm(folder, { recursive: true, force: true });
  });
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const greeting = async (name: string) => (await openModule(GREETERS, name, { NAME: 'Ana' })).greet();

  it('is found by path and receives the environment', async () => {
    await write('greeter.mjs', greeterSource('Hello'));
    expect(await greeting('./greeter.mjs')).toBe('Hello Ana');
    expect(await greeting(join(folder, 'greeter.mjs'))).toBe('Hello Ana');
  });

  it('may be a folder with a package', async () => {
    await write('folder/package.json', '{ "type": "module", "main": "greeter.js" }');
    await write('folder/greeter.js', greeterSource('Good day'));
    expect(await greeting('./folder')).toBe('Good day Ana');
  });

  it('may be an installed package', async () => {
    await write('node_modules/greeter/package.json', '{ "name": "greeter", "type": "module", "main": "main.js" }');
    await write('node_modules/greeter/main.js', greeterSource('Hi'));
    expect(await greeting('greeter')).toBe('Hi Ana');
  });

  it.each([
    ['nowhere.mjs', '', 'cannot be loaded: Cannot find module'],
    ['broken.mjs', 'export const openGreeter = (', 'cannot be loaded: '],
    ['lost.mjs', `import 'no-such-package';`, 'cannot be loaded: Cannot find package'],
    ['empty.mjs', 'export const other = 1;', 'exports no openGreeter'],
    ['number.mjs', 'export const openGreeter = 1;', 'exports no openGreeter'],
    ['nothing.mjs', 'export const openGreeter = () => {};', 'openGreeter returns no greeter'],
    ['half.mjs', 'export const openGreeter = async () => ({});', 'openGreeter returns a greeter without greet'],
  ])('is refused with one line: %s', async (name, text, reason) => {
    if (text !== '') await write(name, text);
    const error: unknown = await greeting(`./${name}`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidConfig);
    const { message } = error as InvalidConfig;
    expect(message.startsWith(`Bad configuration: GREETER: ./${name} ${reason}`)).toBe(true);
    expect(message).not.toContain('\n');
  });

  it('is refused with the reason why it failed to open', async () => {
    await write('failing.mjs', `export const openGreeter = async () => { throw new Error('No key'); };`);
    await expect(greeting('./failing.mjs')).rejects.toThrow('No key');
  });
});
