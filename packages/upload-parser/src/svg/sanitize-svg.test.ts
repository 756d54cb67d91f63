import { UnreadableFile } from '@back-office/media';
import { collectBytes, streamInChunks, parts } from '@back-office/media/testing';
import { chunkSizes } from '@back-office/media/testing/arbitraries';
import fc from 'fast-check';
import sharp from 'sharp';
import {
  sanitize,
  drawing,
  forbiddenIn,
  HOSTILE_DRAWINGS,
  IN_WINDOWS_1250,
  NAMESPACES,
  PRIVATE_TRACES,
  REAL_DRAWINGS,
} from '../../testing/svg/index.js';
import { sanitizeSvg } from './sanitize-svg.js';

async function trySanitize(source: string | Uint8Array): Promise<string | undefined> {
  try {
    return await sanitize(source);
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

const renderPixels = (svg: string): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: 144 }).ensureAlpha().raw().toBuffer();

describe('a hostile drawing', () => {
  it.each(HOSTILE_DRAWINGS)('is rejected or harmless: %s', async (_, source) => {
    const sanitizedSvg = await trySanitize(source);
    if (sanitizedSvg === undefined) return;
    expect(forbiddenIn(sanitizedSvg)).toEqual([]);
    // Ignores escaped markup, because it is only text.
    expect(sanitizedSvg.replaceAll(/&lt;[^<"]*/g, '')).not.toMatch(/evil|alert\(|passwd|__proto__/);
    expect(await sanitize(sanitizedSvg)).toBe(sanitizedSvg);
  });

  it.each([
    ['a doctype with declarations', '<!DOCTYPE svg [<!ENTITY x "y">]>' + drawing('')],
    ['nested entities', billionLaughs()],
    ['an external entity', `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${drawing('&x;')}`],
    ['an undeclared entity', drawing('<text>&nbsp;</text>')],
    ['an entity named like an object property', drawing('<text>&toString;&__proto__;</text>')],
    ['HTML', '<html><body/></html>'],
    ['an svg without namespace', '<svg viewBox="0 0 1 1"/>'],
    ['an svg of another namespace', '<svg xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['two roots', drawing('') + drawing('')],
    ['text after the root', `${drawing('')}x`],
    ['an empty file', ''],
    ['a truncated file', drawing('<g/>').slice(0, -3)],
    ['crossing tags', drawing('<g><a></g></a>')],
    ['an invalid character', drawing('<text>\u0001</text>')],
    ['a reference to an invalid character', `<?xml version="1.1"?>${drawing('<text>&#1;</text>')}`],
    ['invalid UTF-8', Buffer.from(drawing('<text>\u00ff</text>'), 'latin1')],
    ['an unknown encoding', `<?xml version="1.0" encoding="x-own"?>${drawing('')}`],
  ])('is rejected: %s', async (_, source) => {
    await expect(sanitize(source)).rejects.toThrow(UnreadableFile);
  });
});

function billionLaughs(): string {
  const entities = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`);
  return `<!DOCTYPE svg [<!ENTITY l0 "ha">${entities.join('')}]>${drawing('<text>&l9;</text>')}`;
}

describe('content outside the allow-lists', () => {
  const RED = '.a{fill:red}';

  it.each([
    ['an element of another namespace', '<h:a xmlns:h="http://www.w3.org/1999/xhtml"><rect/></h:a>', ''],
    ['an attribute of another namespace', '<g xmlns:x="urn:x" x:fill="red" fill="blue"/>', '<g fill="blue"/>'],
    ['an attribute with the prefix of SVG', '<g xmlns:s="http://www.w3.org/2000/svg" s:fill="red"/>', '<g/>'],
    ['an element in a title', '<title>A<g id="x"/>B</title>', '<title>AB</title>'],
    ['an element in a sheet', `<style>${RED}<g/></style>`, `<style>${RED}</style>`],
    ['text that is not rendered', '<g>Drawn at home<rect/>by me</g>', '<g><rect/></g>'],
    ['an older reference beside a newer one', '<use xlink:href="#b" href="#a"/>', '<use href="#a"/>'],
    ['a sheet of another language', `<style type="text/less">${RED}</style>`, ''],
    ['a sheet for print', `<style media="print">${RED}</style>`, ''],
    ['a nested rule', `<style>@media all{${RED}}.b{fill:red}</style>`, '<style>.b{fill:red}</style>'],
    ['a statement before a rule', `<style>@import "x";${RED}</style>`, `<style>${RED}</style>`],
    ['an unclosed rule', '<style>.a{fill:red', undefined],
    ['an unclosed rule at the end of a sheet', '<style>.a{fill:red</style>', `<style>${RED}</style>`],
    ['an unclosed selector', `<style>.b:not(.c{fill:red}${RED}</style>`, `<style>${RED}</style>`],
    ['a comment in a sheet', `<style>/* } */${RED}/* .b{</style>`, `<style>${RED}</style>`],
    ['an unknown property', '<g style="fill:red;zoom:2;--x:1"/>', '<g style="fill:red"/>'],
    ['an unclosed value', `<g style="fill:rgb(1,2;stroke:red"/>`, '<g/>'],
    ['an unopened bracket', `<g style="fill:red);stroke:red"/>`, '<g style="stroke:red"/>'],
    ['an unclosed string', `<g style="stroke:red;font-family:'a;b"/>`, '<g style="stroke:red"/>'],
    ['a separator in a string', `<g style="font-family:'a;b';fill:red"/>`, `<g style="font-family:'a;b';fill:red"/>`],
    ['an animation of a reference', '<set attributeName="href" to="#a"/>', '<set to="#a"/>'],
    [
      'all XML attributes but lang and space',
      '<text xml:space="preserve" xml:base="x">a</text>',
      '<text xml:space="preserve">a</text>',
    ],
  ])('is dropped while other content stays: %s', async (_, content, remainingContent) => {
    const result = trySanitize(drawing(content));
    const openTag = `<svg ${NAMESPACES} viewBox="0 0 100 100"`;
    const expected =
      remainingContent === '' ? `${openTag}/>` : remainingContent && `${openTag}>${remainingContent}</svg>`;
    expect(await result).toBe(expected);
  });
});

describe('a drawing near or beyond the limits', () => {
  const makeLevels = (count: number, drawLevel: (number: number) => string): string =>
    drawing(Array.from({ length: count }, (_, number) => drawLevel(number)).join(''));

  it.each([
    ['depth', drawing('<g>'.repeat(300) + '</g>'.repeat(300))],
    ['depth in dropped elements', drawing('<x>'.repeat(300) + '</x>'.repeat(300))],
    ['elements', drawing('<g/>'.repeat(200_001))],
    ['elements in dropped elements', drawing(`<x>${'<g/>'.repeat(200_001)}</x>`)],
    ['attributes', drawing(`<g ${Array.from({ length: 201 }, (_, index) => `a${index}=""`).join(' ')}/>`)],
    ['bytes', drawing(`<!--${' '.repeat(10 * 2 ** 20)}-->`)],
    ['classes', drawing(`<g class="${'a '.repeat(1_001)}"/>`)],
    ['style rules', drawing(`<style>${'a{x:0}'.repeat(20_001)}</style>`.replaceAll('x:0', 'x:1'))],
    ['nested uses', makeLevels(8, (at) => `<g id="u${at}">${`<use href="#u${at - 1}"/><path/>`.repeat(10)}</g>`)],
    [
      'nested forward uses by xlink',
      makeLevels(8, (at) => `<g id="u${at}">${`<use xlink:href="#u${at + 1}"/><path/>`.repeat(10)}</g>`),
    ],
    [
      'nested patterns',
      makeLevels(20, (at) => `<pattern id="p${at}">${`<path fill="url(#p${at + 1})"/>`.repeat(3)}</pattern>`),
    ],
    [
      'nested patterns by classes',
      makeLevels(
        20,
        (at) =>
          `<pattern id="p${at}">${`<path class="c${at}"/>`.repeat(3)}</pattern><style>.c${at}{fill:url(#p${at + 1})}</style>`,
      ),
    ],
    [
      'nested patterns by elements',
      makeLevels(
        20,
        (at) =>
          `<pattern id="p${at}">${'<path/>'.repeat(3)}</pattern><style>pattern#p${at} > path{fill:url(#p${at + 1})}</style>`,
      ),
    ],
    [
      'nested masks by styles',
      makeLevels(20, (at) => `<mask id="m${at}">${`<path style="mask:url('#m${at + 1}')"/>`.repeat(3)}</mask>`),
    ],
    ['a chain of references', makeLevels(600, (at) => `<g id="u${at}"><use href="#u${at + 1}"/></g>`)],
  ])('is rejected: %s', async (_, source) => {
    await expect(sanitize(source, 65_536)).rejects.toThrow(UnreadableFile);
  });

  it('is accepted with many flat references', async () => {
    const manyReferences = makeLevels(
      20_000,
      (at) => `<path id="p${at}" class="a" d="M0 0h9" fill="url(#g)" marker-end="url(#m)"/>`,
    );
    const source = manyReferences.replace('</svg>', '<linearGradient id="g"/><marker id="m"><path/></marker></svg>');
    expect(await sanitize(source, 65_536)).toContain('p19999');
  });

  it('is accepted with a reference to itself', async () => {
    expect(await sanitize(drawing('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'))).toContain('#a');
  });
});

describe('a real drawing', () => {
  it.each(REAL_DRAWINGS)('from %s looks the same after sanitizing', async (_, source) => {
    const sanitizedSvg = await sanitize(source);
    const [before, after] = [await renderPixels(source), await renderPixels(sanitizedSvg)];
    expect(new Set(before).size).toBeGreaterThan(10);
    expect(after.equals(before)).toBe(true);
    expect(forbiddenIn(sanitizedSvg)).toEqual([]);
  });

  it.each(REAL_DRAWINGS)('from %s loses its author and location', async (_, source) => {
    expect(await sanitize(source)).not.toMatch(PRIVATE_TRACES);
  });

  it.each(REAL_DRAWINGS)('from %s stays unchanged when sanitized a second time', async (_, source) => {
    const sanitizedSvg = await sanitize(source);
    expect(await sanitize(sanitizedSvg)).toBe(sanitizedSvg);
  });

  it.each(REAL_DRAWINGS)('from %s has the same output for all chunk sizes', async (_, source) => {
    const sanitizedSvg = await sanitize(source);
    await fc.assert(
      fc.asyncProperty(chunkSizes, async (sizes) => {
        const sanitizedInChunks = await collectBytes(sanitizeSvg(streamInChunks(Buffer.from(source), sizes)));
        expect(Buffer.from(sanitizedInChunks).toString()).toBe(sanitizedSvg);
      }),
      { numRuns: 5 },
    );
  });

  it('keeps its animations', async () => {
    const [, source = ''] = REAL_DRAWINGS.find(([program]) => program === 'a spinner') ?? [];
    expect(await sanitize(source)).toMatch(/<animate attributeName="r" [^>]*values="0;20"[^>]*\/>/);
  });

  it.each([
    ['little-endian UTF-16', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`, 'utf16le')],
    ['big-endian UTF-16', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`, 'utf16le').swap16()],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`)],
    ['its declared encoding', IN_WINDOWS_1250],
    ['UTF-8 declared as UTF-16', Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${drawing('<text>Čaj</text>')}`)],
  ])('is read in %s and written in UTF-8', async (_, bytes) => {
    expect(await sanitize(bytes, 7)).toContain('>Čaj</text>');
  });

  it('keeps its title and accessibility texts', async () => {
    const source = drawing('<title>A &lt;b&gt;</title><desc>Two lines</desc>', 'role="img" aria-label="A cup"');
    expect(await sanitize(source)).toBe(
      `<svg ${NAMESPACES} viewBox="0 0 100 100" role="img" aria-label="A cup"><title>A &lt;b&gt;</title><desc>Two lines</desc></svg>`,
    );
  });
});

describe('an embedded image', () => {
  const drawPicture = (bytes: Uint8Array, type = 'image/jpeg'): string =>
    drawing(`<image href="data:${type};base64,${Buffer.from(bytes).toString('base64')}"/>`);
  const extractPicture = (svg: string): Buffer => Buffer.from(/base64,([^"]*)"/.exec(svg)?.[1] ?? '', 'base64');

  it('loses its location', async () => {
    const photo = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '44/1 48/1 45/1' } })
      .jpeg()
      .toBuffer();
    expect(parts.hasLocation(photo)).toBe(true);
    const sanitizedPhoto = extractPicture(await sanitize(drawPicture(photo)));
    expect(parts.hasLocation(sanitizedPhoto)).toBe(false);
    expect((await sharp(sanitizedPhoto).raw().toBuffer()).equals(await sharp(photo).raw().toBuffer())).toBe(true);
  });

  it('gets its detected type', async () => {
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .webp()
      .toBuffer();
    expect(await sanitize(drawPicture(image, 'image/jpg'))).toContain('href="data:image/webp;base64,');
  });

  it('is accepted with line breaks', async () => {
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const drawingWithLineBreaks = drawPicture(image, 'image/png').replaceAll(
      /(base64,|[\w+/]{40})(?=[\w+/])/g,
      '$1&#10;  ',
    );
    expect(extractPicture(await sanitize(drawingWithLineBreaks)).subarray(0, 8)).toEqual(image.subarray(0, 8));
  });

  it('makes the drawing unreadable when the image is damaged', async () => {
    // A JPEG with an unknown marker after its second segment.
    const brokenJpeg = Buffer.from('ffd8ffe000040000ffdb0004000000ff02', 'hex');
    await expect(sanitize(drawPicture(brokenJpeg))).rejects.toThrow(UnreadableFile);
  });
});

describe('a random drawing', () => {
  const NAMES = `g a use image text style script foreignObject set animate title h:img s:g s:script SCRIPT switch metadata
    iframe tspan feImage __proto__ constructor`;
  const ATTRIBUTES = `href xlink:href l:href onload onclick style fill filter id class attributeName to values src xml:base
    xml:space d transform type media s:fill data-x mask`;
  const HOSTILE = String.raw`javascript:alert(1) url(//evil.example) url(#a) #a data:image/svg+xml,x href xlink:href
    fill:url(#a) fill:url(//evil.example) @import"x" /* */ ' " ( ) ; { } \ .a{fill:red} <![CDATA[<script>]]> &amp; &#60;
    expression( rgb(1,2,3) u rl(`;
  const names = fc.constantFrom(...NAMES.split(/\s+/));
  const attributes = fc.constantFrom(...ATTRIBUTES.split(/\s+/));
  const hostile = fc.constantFrom('\n', '\t', ' ', ...HOSTILE.split(/\s+/));
  const value = fc
    .array(fc.oneof(hostile, fc.string({ maxLength: 4 })), { maxLength: 6 })
    .map((tokens) => tokens.join(''));
  const escapeText = (text: string): string => text.replaceAll(/&(?!amp;|#60;)/g, '&amp;').replaceAll('<', '&lt;');
  const attribute = fc
    .tuple(attributes, value)
    .map(([name, text]) => [name, escapeText(text).replaceAll('"', '&quot;')] as const);
  const attributeList = fc
    .uniqueArray(attribute, { selector: ([name]) => name.replace('l:', 'xlink:'), maxLength: 5 })
    .map((list) => list.map(([name, text]) => ` ${name}="${text}"`).join(''));
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      value.map((text) =>
        text.includes('[CDATA[') ? text.replaceAll(/[^\w<![\]>]/g, '') : escapeText(text).replaceAll('>', ''),
      ),
      fc
        .tuple(names, attributeList, fc.array(tie('tree'), { maxLength: 4 }))
        .map(([name, list, content]) => `<${name}${list}>${content.join('')}</${name}>`),
    ),
  }));
  const namespaces = [
    'h="http://www.w3.org/1999/xhtml"',
    's="http://www.w3.org/2000/svg"',
    'l="http://www.w3.org/1999/xlink"',
  ];
  const namespaceDeclarations = namespaces.map((space) => `xmlns:${space}`).join(' ');

  it('becomes harmless, and stays unchanged when sanitized again', async () => {
    let readableCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 6 }), async (content) => {
        const sanitizedSvg = await trySanitize(drawing(content.join(''), namespaceDeclarations));
        if (sanitizedSvg === undefined) return;
        readableCount += 1;
        expect(forbiddenIn(sanitizedSvg)).toEqual([]);
        expect(await sanitize(sanitizedSvg)).toBe(sanitizedSvg);
      }),
      { numRuns: 1_500 },
    );
    expect(readableCount).toBeGreaterThan(500);
  }, 60_000);

  it('becomes harmless or is rejected when its bytes are damaged', async () => {
    const sources = [...HOSTILE_DRAWINGS, ...REAL_DRAWINGS].map(([, source]) => source);
    const change = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.oneof(hostile, fc.string({ maxLength: 2 })));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sources), fc.array(change, { maxLength: 4 }), async (source, changes) => {
        const garbledSource = changes.reduce((text, [offset, removedLength, insertedText]) => {
          const at = offset % text.length;
          return text.slice(0, at) + insertedText + text.slice(at + removedLength);
        }, source);
        const sanitizedSvg = await trySanitize(garbledSource);
        expect(sanitizedSvg === undefined ? [] : forbiddenIn(sanitizedSvg)).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  }, 60_000);
});
