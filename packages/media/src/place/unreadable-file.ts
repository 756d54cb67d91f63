/**
 * A file whose container cannot be followed to where a place might be, so that nobody can say that it has none. Also one
 * that is known to have places where they cannot be cut out. It is not to be published.
 */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
