import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Guides } from './guides.js';

const guides = new Guides();
const names = readdirSync(fileURLToPath(new URL('../../../../docs', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace(/\.md$/, ''));

describe('the guides', () => {
  it('are the pages of docs as HTML', () => {
    expect(guides.find('media')).toContain('<h1 id="the-media-library">The media library</h1>');
    expect(guides.find('adr/0022-events-are-placed-by-their-readers')).toContain('<table>');
  });

  it.each(['none', '../README', 'media.md', '', 'adr', '__proto__'])('have no page %j', (name) => {
    expect(guides.find(name)).toBeUndefined();
  });

  it('link only to guides and headings that exist', () => {
    const brokenLinks = names.flatMap((name) =>
      [...(guides.find(name) ?? '').matchAll(/ href="([^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !/^(?:\w+:|\/)|^\.\.\/|\.\w+$/.test(href))
        .filter((href) => {
          const { pathname, hash } = new URL(href, `http://docs/${name}`);
          const page = guides.find(pathname.slice(1));
          return page === undefined || (hash !== '' && !page.includes(` id="${decodeURIComponent(hash.slice(1))}"`));
        })
        .map((href) => `${name}: ${href}`),
    );
    expect(brokenLinks).toEqual([]);
  });
});
