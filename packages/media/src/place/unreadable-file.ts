/**
 * A file whose container cannot be followed to where a place might be, so that nobody can say that it has none. Also one
 * that is known to have places where they cannot be cut out. It is not to be published.
 */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** By its name: an adapter of another package may have a copy of the class of its own. */
export function isUnreadableFile(error: unknown): error is UnreadableFile {
  return error instanceof Error && error.name === 'UnreadableFile';
}
