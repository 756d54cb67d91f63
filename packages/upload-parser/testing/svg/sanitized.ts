import { sanitizeSvg } from '../../src/svg/index.js';

export const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

export const drawing = (content: string, attributes = ''): string =>
  `<svg ${NAMESPACES} viewBox="0 0 100 100" ${attributes}>${content}</svg>`;

export async function sanitize(source: string | Uint8Array, chunkSize = 1_000): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of sanitizeSvg(streamInChunks(Buffer.from(source), chunkSize))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* streamInChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const TAG = /<(\/?)([^\s<>/]*)([^<>]*?)\/?>/g;
const ATTRIBUTE = /\s([^\s=<>"]+)="([^"<>]*)"/g;
const ACTIVE_ELEMENTS =
  /^(?:script|foreignobject|iframe|object|embed|handler|listener|audio|video|canvas|html|body|img|link|meta|base)$/i;
const ALLOWED_URL = /^(?:#|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$)/;

/**
 * Returns the forbidden content of a sanitized drawing. Uses patterns, so that it does not depend on the sanitizer's
 * parser.
 */
export function forbiddenIn(text: string): string[] {
  const problems: string[] = [];
  const remainingText = text.replaceAll(TAG, (_, closing: string, name: string, attributes: string) => {
    if (ACTIVE_ELEMENTS.test(name) || name.includes(':')) problems.push(`element ${name}`);
    if (closing === '' && attributes.replaceAll(ATTRIBUTE, '').trim() !== '') problems.push(`unread ${attributes}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE))
      problems.push(...forbiddenInAttribute(attribute, value));
    return '';
  });
  if (/[<>]/.test(remainingText) || /&(?!(?:amp|lt|gt|quot|#9|#10|#13);)/.test(remainingText))
    problems.push(`markup in text ${remainingText}`);
  for (const [, sheet = ''] of text.matchAll(/<style[^>]*>([^<]*)<\/style>/g))
    problems.push(...forbiddenInStyle(sheet));
  return problems;
}

function forbiddenInAttribute(attribute: string, value: string): string[] {
  if (/^xmlns(?::|$)/.test(attribute)) return value.startsWith('http://www.w3.org/') ? [] : [`namespace ${value}`];
  if (/^on/i.test(attribute) || /^(?:src|action|formaction|xml:base|base)$/i.test(attribute)) return [attribute];
  if (/href$/i.test(attribute)) return ALLOWED_URL.test(value) ? [] : [`address ${value}`];
  if (attribute === 'attributeName' && /href|^on|style/i.test(value)) return [`animated ${value}`];
  if (/^(?:id|class|lang|xml:lang|media|role|aria-.*|systemLanguage|required.*)$/.test(attribute)) return [];
  return forbiddenInStyle(value);
}

function forbiddenInStyle(style: string): string[] {
  const plainStyle = style
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:9|10|13);/g, ' ')
    .toLowerCase();
  const textOutsideUrls = plainStyle.replaceAll(/url\(\s*["']?#[^"'()\s]+["']?\s*\)/g, '');
  return /url\s*\(|src\s*\(|image\s*\(|image-set|expression\s*\(|@|\\|javascript:|data:|https?:|-moz-binding|behavior/.test(
    textOutsideUrls,
  )
    ? [`style ${style}`]
    : [];
}
