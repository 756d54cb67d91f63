/** A file that is broken, or whose location metadata cannot be found or removed. It must not be published. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Compares names, because an adapter package may bring its own copy of the class. */
export function isUnreadableFile(error: unknown): error is UnreadableFile {
  return error instanceof Error && error.name === 'UnreadableFile';
}

/** A file that takes more CPU time or memory than a limit allows, so that another attempt would be in vain. */
export class CostlyFile extends Error {
  override readonly name = 'CostlyFile';
}

/** Compares names, because an adapter package may bring its own copy of the class. */
export function isCostlyFile(error: unknown): error is CostlyFile {
  return error instanceof Error && error.name === 'CostlyFile';
}
