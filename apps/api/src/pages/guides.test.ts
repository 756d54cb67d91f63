import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AREAS } from '../http/openapi-areas.js';
import { Guides } from './guides.js';

const guides = new Guides();
const names = readdirSync(fileURLToPath(new URL('../../../../docs', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace(/\.md$/, ''));

describe('the guides', () => {
  it('are the pages of docs, shown as HTML', () => {
    expect(guides.find('media')).toContain('<h1 id="the-media-library">The media library</h1>');
    expect(guides.find('adr/0022-events-are-placed-by-their-readers')).toContain('<table>');
  });

  it.each(['none', '../README', 'media.md', 'adr', '__proto__'])('do not include a page %j', (name) => {
    expect(guides.find(name)).toBeUndefined();
  });

  it('start with a list in the groups of the README, with descriptions', () => {
    const list = guides.find('') ?? '';
    const headings = [...list.matchAll(/<h2[^>]*>(.*)<\/h2>/g)].map(([, heading]) => heading);
    expect(headings).toEqual(['Use it', 'Run it', 'Change it']);
    expect(list).toContain('<li><a href="/docs/guides/media">Media library</a>: upload, replace and delete files</li>');
    expect(list.indexOf('/docs/guides/errors')).toBeLessThan(list.indexOf('<h2 id="run-it">'));
    expect(list.indexOf('/docs/guides/deploy')).toBeGreaterThan(list.indexOf('<h2 id="run-it">'));
  });

  it('are all in the list, except adapters and decisions, which have their own lists', () => {
    const list = guides.find('') ?? '';
    const listedNames = names.filter((name) => !name.includes('/') || name.endsWith('/README'));
    expect(listedNames.filter((name) => !list.includes(`href="/docs/guides/${name}"`))).toEqual([]);
  });

  it('link only to pages and headings that exist', () => {
    const brokenLinks = ['', ...names].flatMap((name) =>
      [...(guides.find(name) ?? '').matchAll(/ href="([^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !/^\w+:|^\/(?:docs)?$|^data:/.test(href))
        .filter((href) => {
          const { pathname, hash } = new URL(href, `http://shop/docs/guides/${name}`);
          const page = pathname.startsWith('/docs/guides/') ? guides.find(pathname.slice('/docs/guides/'.length)) : '';
          return page === undefined || (hash !== '' && !page.includes(` id="${decodeURIComponent(hash.slice(1))}"`));
        })
        .map((href) => `${name}: ${href}`),
    );
    expect(brokenLinks).toEqual([]);
    expect(guides.find('adr/0016-apps-spread-over-citus')).toContain('href="/docs/guides/scaling');
  });

  it('exist for every area of the API reference', () => {
    const missingGuides = AREAS.map(({ guide }) => guide).filter((guide) => !names.includes(guide));
    expect(missingGuides).toEqual([]);
  });
});

describe('the guides of an installation without a README', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'back-office-guides-'));
    mkdirSync(join(root, 'docs/adr'), { recursive: true });
    writeFileSync(join(root, 'docs/stock.md'), '# Stock & orders\n');
    writeFileSync(join(root, 'docs/adr/0001-a.md'), '# 1. A decision\n');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('are listed by name', () => {
    const list = new Guides(root).find('') ?? '';
    expect([...list.matchAll(/<li>(.*)<\/li>/g)].map(([, item]) => item)).toEqual([
      '<a href="/docs/guides/adr/0001-a">adr/0001-a</a>',
      '<a href="/docs/guides/stock">stock</a>',
    ]);
  });

  it('are listed by name if the README lists no page', () => {
    writeFileSync(join(root, 'README.md'), '# Shop\n\n## Use it\n\nCall us.\n');
    expect(new Guides(root).find('')).toContain('<li><a href="/docs/guides/stock">stock</a></li>');
  });
});
