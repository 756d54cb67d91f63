import { isProcessed } from './types.js';

/** How an installation serves its files. */
export interface PublicLibrary {
  /** Base of public URLs, without a trailing slash. */
  readonly base: string;
  /** The store serves files itself, so each needs a copy under its public key. */
  readonly isPublished: boolean;
}

/** Whether a new file waits for a job: for its processing, or for its public copy. */
export function isInitiallyPending({ isPublished }: Pick<PublicLibrary, 'isPublished'>, mime: string): boolean {
  return isPublished || isProcessed(mime);
}
