import { FlatFolderStore } from '../../../../examples/storage-adapter/index.js';

/** A store that refuses every file without reading it. */
class RefusingStore extends FlatFolderStore {
  override put(): Promise<number> {
    return Promise.reject(new Error('There is no room'));
  }
}

export function openMediaStore(environment: Readonly<Record<string, string | undefined>>) {
  return Promise.resolve({ store: new RefusingStore(environment['FLAT_FOLDER'] ?? '') });
}
