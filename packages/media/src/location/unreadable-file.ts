/** The file is broken, or its location metadata cannot be found or removed. The file must not be published. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Compares names, because an adapter package may have its own copy of the class. */
export function isUnreadableFile(error: unknown): error is UnreadableFile {
  return error instanceof Error && error.name === 'UnreadableFile';
}

/** The file exceeds a limit of CPU time or memory, so another attempt would also fail. */
export class CostlyFile extends Error {
  override readonly name = 'CostlyFile';
}

/** Compares names, because an adapter package may have its own copy of the class. */
export function isCostlyFile(error: unknown): error is CostlyFile {
  return error instanceof Error && error.name === 'CostlyFile';
}

/** The processor cannot read this variant of the type with certainty, so another attempt would also fail. */
export class UnsupportedImage extends Error {
  override readonly name = 'UnsupportedImage';
}

/** Compares names, because an adapter package may have its own copy of the class. */
export function isUnsupportedImage(error: unknown): error is UnsupportedImage {
  return error instanceof Error && error.name === 'UnsupportedImage';
}
