import { isProcessed } from './types.js';

export interface PublicLibrary {
  /** Base of public URLs, without a trailing slash. */
  readonly base: string;
  /** Whether the store serves files itself. Each file then needs a copy under its public key. */
  readonly isPublished: boolean;
}

/** Returns true when a new file waits for a job that processes it or makes its public copy. */
export function isInitiallyPending({ isPublished }: Pick<PublicLibrary, 'isPublished'>, mime: string): boolean {
  return isPublished || isProcessed(mime);
}
