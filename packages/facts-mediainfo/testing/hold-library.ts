import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Keeps the library compiled, because V8 shares compiled code between threads only while a module is referenced. */
export function holdLibrary(): void {
  const heldModules: WebAssembly.Module[] = [];
  beforeAll(async () => {
    const library = await readFile(fileURLToPath(import.meta.resolve('mediainfo.js/MediaInfoModule.wasm')));
    heldModules.push(await WebAssembly.compile(library));
  });
  afterAll(() => {
    heldModules.length = 0;
  });
}
