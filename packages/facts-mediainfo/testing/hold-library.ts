import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** V8 shares compiled code between threads while a module is referenced. */
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
