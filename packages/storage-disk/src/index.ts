export * from './disk-media-store.js';
export { makeDataFolder, makeFolder, makePrivateFolder, PRIVATE_FILE, PRIVATE_FOLDER } from './make-folder.js';
