import { AREAS } from '../http/openapi-areas.js';
import { Browser } from '../testing/browser.js';
import { startServer, type ServerProcess } from '../testing/server-process.js';

const WIDTHS = [1_280, 390];

let server: ServerProcess;
let browser: Browser;
beforeAll(async () => {
  browser = await Browser.open();
  server = await startServer({ DATABASE: 'memory', DEMO: '0' });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const PAGES: readonly (readonly [path: string, text: string])[] = [
  ['/', 'API reference'],
  ['/docs', 'Amounts are numbers'],
  ['/docs/guides/', 'Guides'],
  ['/docs/guides/media', 'The media library'],
];

describe.each(WIDTHS)('in a browser of %i pixels', (width) => {
  it.each(PAGES)('%s loads without errors and from this service only', async (path, expectedText) => {
    const {
      text,
      width: contentWidth,
      requestedUrls,
      problems,
    } = await browser.visit(server.origin + path, width, expectedText);
    expect(text).toContain(expectedText);
    expect(problems).toEqual([]);
    const foreignUrls = requestedUrls.filter((url) => !url.startsWith(server.origin) && !url.startsWith('data:'));
    expect(foreignUrls).toEqual([]);
    expect(contentWidth).toBeLessThanOrEqual(width);
  });

  it('the reference shows every area', async () => {
    // On a phone, a button opens the list of areas.
    const { text } = await browser.visit(`${server.origin}/docs`, width, 'Events', 'Open Menu');
    expect(AREAS.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
  });
});
