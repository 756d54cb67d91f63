/** The file is broken, or its location metadata cannot be found or removed. The file must not be published. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Compares names, because an adapter package may bring its own copy of the class. */
export function isUnreadableFile(error: unknown): error is UnreadableFile {
  return error instanceof Error && error.name === 'UnreadableFile';
}

/** The file takes more CPU time or memory than a limit allows, so another attempt would fail, too. */
export class CostlyFile extends Error {
  override readonly name = 'CostlyFile';
}

/** Compares names, because an adapter package may bring its own copy of the class. */
export function isCostlyFile(error: unknown): error is CostlyFile {
  return error instanceof Error && error.name === 'CostlyFile';
}
