import type { Refusal } from '@back-office/kernel';
import { isStripped, stripLocation } from '../location/strip-location.js';
import type { ReadableFile } from '../processing/media-facts.js';
import { IMAGE_TOO_LARGE, UNSUPPORTED_TYPE } from '../refusals.js';
import type { SvgSanitizer } from './svg-sanitizer.js';
import { kindOf } from '../files/types.js';
import type { FileFacts } from '../files/upload-receipts.js';
import { fileType } from './file-type.js';
import { TYPE_HEAD_BYTES } from './head.js';
import { imageFacts } from './image-facts.js';

/** An image with a longer header is refused. */
export const MAX_IMAGE_HEADER_BYTES = 32 * 2 ** 20;
const SVG = 'image/svg+xml';

/** Refuses an unsupported type, an unreadable image, and an image with more pixels than `pixelLimit`. */
export async function readUploadFacts(
  name: string,
  file: ReadableFile,
  svgSanitizer: SvgSanitizer,
  pixelLimit: number,
): Promise<FileFacts | Refusal> {
  const head = await file.read(0, TYPE_HEAD_BYTES);
  const mime = fileType(head, name);
  const kind = mime === undefined ? undefined : kindOf(mime);
  if (mime === undefined || kind === undefined) return UNSUPPORTED_TYPE;
  if (kind === 'vector') return { mime, kind, size: svgSanitizer.size(head) };
  if (kind !== 'image') return { mime, kind, size: undefined };
  const facts = imageFacts(mime, head) ?? imageFacts(mime, await file.read(0, MAX_IMAGE_HEADER_BYTES));
  if (facts === undefined) return UNSUPPORTED_TYPE;
  const { width, height } = facts;
  return width * height > pixelLimit ? IMAGE_TOO_LARGE : { mime, kind, size: { width, height } };
}

/**
 * Returns the content to publish; `undefined` when the upload itself is published. Throws `UnreadableFile` while
 * streaming; callers must then discard the output.
 */
export function publicContent(
  mime: string,
  bytes: AsyncIterable<Uint8Array>,
  svgSanitizer: SvgSanitizer,
): AsyncIterable<Uint8Array> | undefined {
  if (mime === SVG) return svgSanitizer.sanitize(bytes);
  return isStripped(mime) ? stripLocation(mime, bytes) : undefined;
}
