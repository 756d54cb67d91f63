import { FlatFolderStore } from './flat-folder-store.js';

/** A store that takes nothing, and does not even look at what it is given. */
class RefusingStore extends FlatFolderStore {
  override put(): Promise<number> {
    return Promise.reject(new Error('There is no room'));
  }
}

/** What `STORAGE` looks for. */
export function openMediaStore(environment: Readonly<Record<string, string | undefined>>) {
  return Promise.resolve({ store: new RefusingStore(environment['FLAT_FOLDER'] ?? '') });
}
