import { isProcessed } from '../files/types.js';

export interface PublicLibrary {
  /** Base of public URLs, without a trailing slash. */
  readonly base: string;
  /** True when the store serves files itself. Each file then needs a copy under its public key. */
  readonly isPublished: boolean;
}

/** Returns true when a job must process a new file or make its public copy. */
export function isInitiallyPending({ isPublished }: Pick<PublicLibrary, 'isPublished'>, mime: string): boolean {
  return isPublished || isProcessed(mime);
}
