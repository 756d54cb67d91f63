export const FILE_KINDS = ['image', 'vector', 'video', 'audio', 'doc'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const KIND_BY_MIME: Readonly<Record<string, FileKind>> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'image/gif': 'image',
  'image/avif': 'image',
  'image/tiff': 'image',
  'image/bmp': 'image',
  'image/svg+xml': 'vector',
  'video/mp4': 'video',
  'video/webm': 'video',
  'video/quicktime': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/ogg': 'audio',
  'audio/wav': 'audio',
  'application/pdf': 'doc',
  'text/plain': 'doc',
  'text/csv': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'doc',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'doc',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'doc',
  'application/zip': 'doc',
};

export const ALLOWED_MIMES: readonly string[] = Object.keys(KIND_BY_MIME);

/** Returns `undefined` for a type that the library does not accept. */
export function kindOf(mime: string): FileKind | undefined {
  return Object.hasOwn(KIND_BY_MIME, mime) ? KIND_BY_MIME[mime] : undefined;
}

/** Returns true for types that are scaled, measured or rendered in the background. */
export function isProcessed(mime: string): boolean {
  const kind = kindOf(mime);
  return kind === 'image' || kind === 'video' || mime === 'application/pdf';
}

/** Returns true for types in which a browser could run scripts. Such files must be served with protective headers. */
export function canRunScripts(mime: string): boolean {
  const kind = kindOf(mime);
  return kind === 'vector' || kind === 'doc' || kind === undefined;
}
