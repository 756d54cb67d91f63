import { decodeLatin1, matchesAt, u16, u32 } from '../formats/octets.js';

const LOCAL_HEADER = 'PK\x03\x04';
const LOCAL_HEADER_SIZE = 30;
const HAS_DATA_DESCRIPTOR = 0x08;
const MAX_ZIP_VERSION = 63;
const MAX_PDF_OFFSET_BYTES = 1_024;
const MIME_BY_OFFICE_FOLDER: Readonly<Record<string, string>> = {
  'word/': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'xl/': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'ppt/': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};
/** Every Office document contains an entry with one of these names. */
const OFFICE_ENTRY = /^(\[Content_Types\]\.xml|_rels\/\.rels|docProps\/.+)$/;

/** Accepts bytes before the signature, unless they are HTML or a script. Requires an object after the signature. */
export function isPdf(head: Uint8Array): boolean {
  const at = decodeLatin1(head, 0, MAX_PDF_OFFSET_BYTES + 5).search(/%PDF-\d/);
  return at >= 0 && !/[<#]/.test(decodeLatin1(head, 0, at)) && /\s\d+\s+\d+\s+obj\b/.test(decodeLatin1(head, at));
}

/**
 * Returns the MIME type of a ZIP file or Office document; `undefined` for other files and for documents with macros.
 */
export function zipType(head: Uint8Array): string | undefined {
  if (isEmptyZip(head)) return 'application/zip';
  if (!isEntry(head, 0)) return undefined;
  const names = [...entryNames(head)];
  if (names.some((name) => name.endsWith('vbaProject.bin'))) return undefined;
  const officeFolders = Object.keys(MIME_BY_OFFICE_FOLDER).filter((folder) =>
    names.some((name) => name.startsWith(folder)),
  );
  const isOffice = officeFolders.length === 1 && names.some((name) => OFFICE_ENTRY.test(name));
  return isOffice ? MIME_BY_OFFICE_FOLDER[officeFolders[0] ?? ''] : 'application/zip';
}

function isEmptyZip(head: Uint8Array): boolean {
  return matchesAt(head, 0, 'PK\x05\x06') && head.length >= 22 && u32(head, 4) === 0 && u32(head, 8) === 0;
}

function* entryNames(head: Uint8Array): Generator<string> {
  for (let at = 0; isEntry(head, at);) {
    const nameEnd = at + LOCAL_HEADER_SIZE + u16(head, at + 26, 'little');
    if (nameEnd > head.length) return;
    yield decodeLatin1(head, at + LOCAL_HEADER_SIZE, nameEnd);
    const content = nameEnd + u16(head, at + 28, 'little');
    const isSizeKnown = (u16(head, at + 6, 'little') & HAS_DATA_DESCRIPTOR) === 0;
    at = isSizeKnown ? content + u32(head, at + 18, 'little') : nextEntryOffset(head, content);
  }
}

function nextEntryOffset(head: Uint8Array, from: number): number {
  for (let at = head.indexOf(0x50, from); at >= 0; at = head.indexOf(0x50, at + 1)) if (isEntry(head, at)) return at;
  return head.length;
}

function isEntry(head: Uint8Array, at: number): boolean {
  const [version = 0xff, , , flags = 0xff] = head.subarray(at + 4, at + 8);
  const method = u16(head, at + 8, 'little');
  const isValid =
    version <= MAX_ZIP_VERSION && (flags & 0xc0) === 0 && (method <= 20 || (method >= 93 && method <= 99));
  return matchesAt(head, at, LOCAL_HEADER) && isValid && u16(head, at + 26, 'little') > 0;
}
