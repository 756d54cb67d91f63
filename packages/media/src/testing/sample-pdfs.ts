import { encodeLatin1 } from '../formats/octets.js';

/** The colour covers the upper half of the page before rotation. */
export interface SamplePage {
  /** Points (1/72 inch). */
  readonly width: number;
  readonly height: number;
  /** Red, green and blue, each 0–1. */
  readonly colour: readonly [number, number, number];
  /** Clockwise degrees, a multiple of 90. */
  readonly rotate?: number;
  /** Drawing operators to use instead of the colour. */
  readonly content?: string;
  readonly resources?: string;
}

export interface SamplePdf {
  readonly pages: readonly SamplePage[];
  readonly trailer?: string;
  readonly objects?: readonly string[];
}

const FIRST_PAGE = 3;

export function pdfSample({ pages, trailer = '', objects = [] }: SamplePdf): Uint8Array {
  const children = pages.map((_, index) => `${FIRST_PAGE + 2 * index} 0 R`).join(' ');
  const bodies = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${children}]/Count ${pages.length}>>`,
    ...pages.flatMap((page, index) => [pageObject(page, FIRST_PAGE + 2 * index + 1), contentObject(page)]),
    ...objects,
  ];
  let text = '%PDF-1.7\n';
  const offsets: number[] = [];
  for (const [index, body] of bodies.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = bodies.length + 1;
  return encodeLatin1(
    `${text}xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<</Size ${count}/Root 1 0 R${trailer}>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

function pageObject({ width, height, rotate = 0, resources = '' }: SamplePage, content: number): string {
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Rotate ${rotate}/Resources<<${resources}>>/Contents ${content} 0 R>>`;
}

function contentObject({ width, height, colour, content }: SamplePage): string {
  const drawing = content ?? `${colour.join(' ')} rg 0 ${height / 2} ${width} ${height / 2} re f`;
  return `<</Length ${drawing.length}>>\nstream\n${drawing}\nendstream`;
}

export function encryptedPdf(): Uint8Array {
  const [owner, user] = ['O', 'U'].map((letter) => `<${letter.charCodeAt(0).toString(16).repeat(32)}>`);
  return pdfSample({
    pages: [{ width: 100, height: 100, colour: [1, 0, 0] }],
    trailer: `/Encrypt<</Filter/Standard/V 1/R 2/O ${owner}/U ${user}/P -4>>/ID[<00><00>]`,
  });
}
