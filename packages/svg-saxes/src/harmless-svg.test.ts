import { UnreadableFile } from '@back-office/media';
import { collected, inPieces, parts, pieceSizes } from '@back-office/media/testing';
import fc from 'fast-check';
import sharp from 'sharp';
import {
  cleaned,
  drawing,
  forbiddenIn,
  HOSTILE_DRAWINGS,
  IN_WINDOWS_1250,
  NAMESPACES,
  PRIVATE,
  REAL_DRAWINGS,
} from '../testing/index.js';
import { harmlessSvg } from './harmless-svg.js';

/** What is left, or `undefined` of what is refused. */
async function leftOf(source: string | Uint8Array): Promise<string | undefined> {
  try {
    return await cleaned(source);
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

const pixels = (svg: string): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: 144 }).ensureAlpha().raw().toBuffer();

describe('a hostile drawing', () => {
  it.each(HOSTILE_DRAWINGS)('is refused, or has nothing left of it: %s', async (_, source) => {
    const left = await leftOf(source);
    if (left === undefined) return;
    expect(forbiddenIn(left)).toEqual([]);
    // Markup that was text all along stays text.
    expect(left.replaceAll(/&lt;[^<"]*/g, '')).not.toMatch(/evil|alert\(|passwd|__proto__/);
    expect(await cleaned(left)).toBe(left);
  });

  it.each([
    ['a document type with declarations', '<!DOCTYPE svg [<!ENTITY x "y">]>' + drawing('')],
    ['many entities of entities', billionLaughs()],
    ['an entity of the outside', `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${drawing('&x;')}`],
    ['an entity that is not declared', drawing('<text>&nbsp;</text>')],
    ['an entity named like a property of objects', drawing('<text>&toString;&__proto__;</text>')],
    ['a page', '<html><body/></html>'],
    ['an svg of no namespace', '<svg viewBox="0 0 1 1"/>'],
    ['an svg of another namespace', '<svg xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['two roots', drawing('') + drawing('')],
    ['text after the root', `${drawing('')}x`],
    ['nothing', ''],
    ['one that breaks off', drawing('<g/>').slice(0, -3)],
    ['tags that cross', drawing('<g><a></g></a>')],
    ['a character that is none', drawing('<text>\u0001</text>')],
    ['a reference to a character that is none', `<?xml version="1.1"?>${drawing('<text>&#1;</text>')}`],
    ['bytes that are no UTF-8', Buffer.from(drawing('<text>\u00ff</text>'), 'latin1')],
    ['an encoding that nobody knows', `<?xml version="1.0" encoding="x-own"?>${drawing('')}`],
  ])('is no drawing: %s', async (_, source) => {
    await expect(cleaned(source)).rejects.toThrow(UnreadableFile);
  });
});

function billionLaughs(): string {
  const entities = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`);
  return `<!DOCTYPE svg [<!ENTITY l0 "ha">${entities.join('')}]>${drawing('<text>&l9;</text>')}`;
}

describe('what is not known to be harmless', () => {
  const RED = '.a{fill:red}';

  it.each([
    ['an element of another namespace', '<h:a xmlns:h="http://www.w3.org/1999/xhtml"><rect/></h:a>', ''],
    ['an attribute of another namespace', '<g xmlns:x="urn:x" x:fill="red" fill="blue"/>', '<g fill="blue"/>'],
    ['an attribute with the prefix of SVG', '<g xmlns:s="http://www.w3.org/2000/svg" s:fill="red"/>', '<g/>'],
    ['an element in a title', '<title>A<g id="x"/>B</title>', '<title>AB</title>'],
    ['an element in a sheet', `<style>${RED}<g/></style>`, `<style>${RED}</style>`],
    ['text that is not drawn', '<g>Drawn at home<rect/>by me</g>', '<g><rect/></g>'],
    ['an older reference beside a newer one', '<use xlink:href="#b" href="#a"/>', '<use href="#a"/>'],
    ['a sheet of another language', `<style type="text/less">${RED}</style>`, ''],
    ['a sheet for paper', `<style media="print">${RED}</style>`, ''],
    ['a rule of a rule', `<style>@media all{${RED}}.b{fill:red}</style>`, '<style>.b{fill:red}</style>'],
    ['a statement before a rule', `<style>@import "x";${RED}</style>`, `<style>${RED}</style>`],
    ['a rule that is not closed', '<style>.a{fill:red', undefined],
    ['the last rule of a sheet that breaks off', '<style>.a{fill:red</style>', `<style>${RED}</style>`],
    ['a selector that is not closed', `<style>.b:not(.c{fill:red}${RED}</style>`, `<style>${RED}</style>`],
    ['a comment in a sheet', `<style>/* } */${RED}/* .b{</style>`, `<style>${RED}</style>`],
    ['a property that nobody knows', '<g style="fill:red;zoom:2;--x:1"/>', '<g style="fill:red"/>'],
    ['a value that is not closed', `<g style="fill:rgb(1,2;stroke:red"/>`, '<g/>'],
    ['a bracket that was not opened', `<g style="fill:red);stroke:red"/>`, '<g style="stroke:red"/>'],
    ['a string that is not closed', `<g style="stroke:red;font-family:'a;b"/>`, '<g style="stroke:red"/>'],
    ['a separator in a string', `<g style="font-family:'a;b';fill:red"/>`, `<g style="font-family:'a;b';fill:red"/>`],
    ['an animation of nothing known', '<set attributeName="href" to="#a"/>', '<set to="#a"/>'],
    [
      'the way to treat spaces',
      '<text xml:space="preserve" xml:base="x">a</text>',
      '<text xml:space="preserve">a</text>',
    ],
  ])('is left out, and nothing else: %s', async (_, content, left) => {
    const all = leftOf(drawing(content));
    const empty = `<svg ${NAMESPACES} viewBox="0 0 100 100"`;
    const expected = left === '' ? `${empty}/>` : left && `${empty}>${left}</svg>`;
    expect(await all).toBe(expected);
  });
});

describe('a drawing beyond the bounds', () => {
  const levels = (count: number, level: (number: number) => string): string =>
    drawing(Array.from({ length: count }, (_, number) => level(number)).join(''));

  it.each([
    ['too deep', drawing('<g>'.repeat(300) + '</g>'.repeat(300))],
    ['too deep in what is left out', drawing('<x>'.repeat(300) + '</x>'.repeat(300))],
    ['of too many elements', drawing('<g/>'.repeat(200_001))],
    ['of too many elements in what is left out', drawing(`<x>${'<g/>'.repeat(200_001)}</x>`)],
    ['of too many attributes', drawing(`<g ${Array.from({ length: 201 }, (_, each) => `a${each}=""`).join(' ')}/>`)],
    ['of too many bytes', drawing(`<!--${' '.repeat(10 * 2 ** 20)}-->`)],
    ['of too many classes', drawing(`<g class="${'a '.repeat(1_001)}"/>`)],
    ['of too many rules', drawing(`<style>${'a{x:0}'.repeat(20_001)}</style>`.replaceAll('x:0', 'x:1'))],
    ['of uses of uses', levels(8, (at) => `<g id="u${at}">${`<use href="#u${at - 1}"/><path/>`.repeat(10)}</g>`)],
    [
      'of uses of uses by xlink, backwards',
      levels(8, (at) => `<g id="u${at}">${`<use xlink:href="#u${at + 1}"/><path/>`.repeat(10)}</g>`),
    ],
    [
      'of patterns of patterns',
      levels(20, (at) => `<pattern id="p${at}">${`<path fill="url(#p${at + 1})"/>`.repeat(3)}</pattern>`),
    ],
    [
      'of patterns of patterns by classes',
      levels(
        20,
        (at) =>
          `<pattern id="p${at}">${`<path class="c${at}"/>`.repeat(3)}</pattern><style>.c${at}{fill:url(#p${at + 1})}</style>`,
      ),
    ],
    [
      'of patterns of patterns by elements',
      levels(
        20,
        (at) =>
          `<pattern id="p${at}">${'<path/>'.repeat(3)}</pattern><style>pattern#p${at} > path{fill:url(#p${at + 1})}</style>`,
      ),
    ],
    [
      'of masks of masks by styles',
      levels(20, (at) => `<mask id="m${at}">${`<path style="mask:url('#m${at + 1}')"/>`.repeat(3)}</mask>`),
    ],
    ['of a chain without end', levels(600, (at) => `<g id="u${at}"><use href="#u${at + 1}"/></g>`)],
  ])('is refused: %s', async (_, source) => {
    await expect(cleaned(source, 65_536)).rejects.toThrow(UnreadableFile);
  });

  it('is none when it only refers much', async () => {
    const many = levels(20_000, (at) => `<path id="p${at}" class="a" d="M0 0h9" fill="url(#g)" marker-end="url(#m)"/>`);
    const whole = many.replace('</svg>', '<linearGradient id="g"/><marker id="m"><path/></marker></svg>');
    expect(await cleaned(whole, 65_536)).toContain('p19999');
  });

  it('is none when it refers to itself, which viewers leave out', async () => {
    expect(await cleaned(drawing('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'))).toContain('#a');
  });
});

describe('a real drawing', () => {
  it.each(REAL_DRAWINGS)('of %s looks the same', async (_, source) => {
    const left = await cleaned(source);
    const [before, after] = [await pixels(source), await pixels(left)];
    expect(new Set(before).size).toBeGreaterThan(10);
    expect(after.equals(before)).toBe(true);
    expect(forbiddenIn(left)).toEqual([]);
  });

  it.each(REAL_DRAWINGS)('of %s says no more by whom and where it was made', async (_, source) => {
    expect(await cleaned(source)).not.toMatch(PRIVATE);
  });

  it.each(REAL_DRAWINGS)('of %s is not changed a second time', async (_, source) => {
    const left = await cleaned(source);
    expect(await cleaned(left)).toBe(left);
  });

  it.each(REAL_DRAWINGS)('of %s is the same however it comes', async (_, source) => {
    const whole = await cleaned(source);
    await fc.assert(
      fc.asyncProperty(pieceSizes, async (sizes) => {
        const pieces = await collected(harmlessSvg(inPieces(Buffer.from(source), sizes)));
        expect(Buffer.from(pieces).toString()).toBe(whole);
      }),
      { numRuns: 5 },
    );
  });

  it('keeps its animations', async () => {
    const [, source = ''] = REAL_DRAWINGS.find(([program]) => program === 'a spinner') ?? [];
    expect(await cleaned(source)).toMatch(/<animate attributeName="r" [^>]*values="0;20"[^>]*\/>/);
  });

  it.each([
    ['UTF-16, the lower byte first', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`, 'utf16le')],
    ['UTF-16, the higher byte first', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`, 'utf16le').swap16()],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${drawing('<text>Čaj</text>')}`)],
    ['the encoding it declares', IN_WINDOWS_1250],
    [
      'UTF-8, though it says UTF-16',
      Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${drawing('<text>Čaj</text>')}`),
    ],
  ])('is read in %s, and written in UTF-8', async (_, bytes) => {
    expect(await cleaned(bytes, 7)).toContain('>Čaj</text>');
  });

  it('keeps its title and what it says to those who do not see it', async () => {
    const source = drawing('<title>A &lt;b&gt;</title><desc>Two lines</desc>', 'role="img" aria-label="A cup"');
    expect(await cleaned(source)).toBe(
      `<svg ${NAMESPACES} viewBox="0 0 100 100" role="img" aria-label="A cup"><title>A &lt;b&gt;</title><desc>Two lines</desc></svg>`,
    );
  });
});

describe('a picture in a drawing', () => {
  const picture = (bytes: Uint8Array, type = 'image/jpeg'): string =>
    drawing(`<image href="data:${type};base64,${Buffer.from(bytes).toString('base64')}"/>`);
  const pictureOf = (svg: string): Buffer => Buffer.from(/base64,([^"]*)"/.exec(svg)?.[1] ?? '', 'base64');

  it('stays, without where it was taken', async () => {
    const photo = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '44/1 48/1 45/1' } })
      .jpeg()
      .toBuffer();
    expect(parts.tellsPlace(photo)).toBe(true);
    const left = pictureOf(await cleaned(picture(photo)));
    expect(parts.tellsPlace(left)).toBe(false);
    expect((await sharp(left).raw().toBuffer()).equals(await sharp(photo).raw().toBuffer())).toBe(true);
  });

  it('is called what it is', async () => {
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .webp()
      .toBuffer();
    expect(await cleaned(picture(image, 'image/jpg'))).toContain('href="data:image/webp;base64,');
  });

  it('may be written in lines', async () => {
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const lines = picture(image, 'image/png').replaceAll(/(base64,|[\w+/]{40})(?=[\w+/])/g, '$1&#10;  ');
    expect(pictureOf(await cleaned(lines)).subarray(0, 8)).toEqual(image.subarray(0, 8));
  });

  it('that cannot be read to its end makes the drawing unreadable', async () => {
    // A JPEG with a marker that nobody knows after its second segment.
    const broken = Buffer.from('ffd8ffe000040000ffdb0004000000ff02', 'hex');
    await expect(cleaned(picture(broken))).rejects.toThrow(UnreadableFile);
  });
});

describe('any drawing', () => {
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
  const value = fc.array(fc.oneof(hostile, fc.string({ maxLength: 4 })), { maxLength: 6 }).map((each) => each.join(''));
  const quoted = (text: string): string => text.replaceAll(/&(?!amp;|#60;)/g, '&amp;').replaceAll('<', '&lt;');
  const attribute = fc
    .tuple(attributes, value)
    .map(([name, text]) => [name, quoted(text).replaceAll('"', '&quot;')] as const);
  const attributeList = fc
    .uniqueArray(attribute, { selector: ([name]) => name.replace('l:', 'xlink:'), maxLength: 5 })
    .map((list) => list.map(([name, text]) => ` ${name}="${text}"`).join(''));
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      value.map((text) =>
        text.includes('[CDATA[') ? text.replaceAll(/[^\w<![\]>]/g, '') : quoted(text).replaceAll('>', ''),
      ),
      fc
        .tuple(names, attributeList, fc.array(tie('tree'), { maxLength: 4 }))
        .map(([name, list, content]) => `<${name}${list}>${content.join('')}</${name}>`),
    ),
  }));
  const spaces = [
    'h="http://www.w3.org/1999/xhtml"',
    's="http://www.w3.org/2000/svg"',
    'l="http://www.w3.org/1999/xlink"',
  ];
  const declared = spaces.map((space) => `xmlns:${space}`).join(' ');

  it('has nothing forbidden left, and is not changed a second time', async () => {
    let readable = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 6 }), async (content) => {
        const left = await leftOf(drawing(content.join(''), declared));
        if (left === undefined) return;
        readable += 1;
        expect(forbiddenIn(left)).toEqual([]);
        expect(await cleaned(left)).toBe(left);
      }),
      { numRuns: 1_500 },
    );
    expect(readable).toBeGreaterThan(500);
  }, 60_000);

  it('stays harmless, or is refused, when its characters are mixed up', async () => {
    const sources = [...HOSTILE_DRAWINGS, ...REAL_DRAWINGS].map(([, source]) => source);
    const change = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.oneof(hostile, fc.string({ maxLength: 2 })));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sources), fc.array(change, { maxLength: 4 }), async (source, changes) => {
        const mixed = changes.reduce((text, [place, gone, put]) => {
          const at = place % text.length;
          return text.slice(0, at) + put + text.slice(at + gone);
        }, source);
        const left = await leftOf(mixed);
        expect(left === undefined ? [] : forbiddenIn(left)).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  }, 60_000);
});
