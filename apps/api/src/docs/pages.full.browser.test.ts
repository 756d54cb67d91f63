import { describeEvents } from '../events/index.js';
import { AREAS } from '../http/openapi-areas.js';
import { Browser } from '../testing/browser.js';
import { startServer, type ServerProcess } from '../testing/server-process.js';

const WIDTHS = [1_280, 800, 400];

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

  it('the reference shows every area and every webhook', async () => {
    const webhooks = describeEvents().map(({ name }) => name);
    const { text } = await browser.visit(`${server.origin}/docs`, width, webhooks.at(-1) as string);
    const names = [...AREAS.map(({ name }) => name), ...webhooks];
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('a link to a call opens only this call', async () => {
    const url = `${server.origin}/docs#/Stock/putIntStocks`;
    const script = `
      await new Promise((resolve) => setTimeout(resolve, 500));
      const open = [...document.querySelectorAll('.opblock.is-open')];
      return open.map((call) => ({ id: call.id, isInView: Math.abs(call.getBoundingClientRect().top) < 100 }));`;
    const page = await browser.visit(url, width, 'Try it out', script);
    expect(page.value).toEqual([{ id: 'operations-Stock-putIntStocks', isInView: true }]);
    expect(page.text).toContain('stock:write');
    expect(page.problems).toEqual([]);
    expect(page.width).toBeLessThanOrEqual(width);
  });
});

describe('the reference', () => {
  it('finds a call by its path', async () => {
    const script = `
      ui.layoutActions.updateFilter('stock_mov');
      await new Promise((resolve) => setTimeout(resolve, 500));
      const paths = document.querySelectorAll('.opblock-tag-section .opblock-summary-path');
      return [...paths].map((path) => path.dataset.path);`;
    const { value } = await browser.visit(`${server.origin}/docs`, 1_280, 'Webhooks', script);
    expect(value).toEqual(['/api/v2/stock_movements']);
  });

  it('keeps a token in its tab only', async () => {
    const script = `
      ui.authActions.authorize({ appToken: { name: 'appToken', value: 'secret' } });
      return [sessionStorage.getItem('authorization'), Object.keys(localStorage), document.cookie];`;
    const { value } = await browser.visit(`${server.origin}/docs`, 1_280, 'Webhooks', script);
    expect(value).toEqual([expect.stringContaining('secret'), [], '']);
  });

  const visitTwice = (script: string) => {
    const authorize = `
      const authorize = (name, value) =>
        ui.authActions.authorize({ [name]: { name, value, schema: { type: 'http', scheme: 'bearer' } } });`;
    const readTokens = `
      await new Promise((resolve) => setTimeout(resolve, 500));
      return ui.authSelectors.authorized().map((token) => token.get('value')).toJS();`;
    return browser.visit(`${server.origin}/docs`, 1_280, 'Webhooks', authorize + script, readTokens);
  };

  it('keeps all entered tokens after a reload', async () => {
    const { value, problems } = await visitTwice(
      `authorize('appToken', 'first'); authorize('sessionToken', 'second');`,
    );
    expect(value).toEqual({ appToken: 'first', sessionToken: 'second' });
    expect(problems).toEqual([]);
  });

  it('forgets only the token of a logout', async () => {
    const { value } = await visitTwice(`
      authorize('appToken', 'first');
      authorize('sessionToken', 'second');
      ui.authActions.logout(['appToken']);`);
    expect(value).toEqual({ sessionToken: 'second' });
  });

  it.each(['{', '{"appToken":null}'])('ignores damaged tokens of an earlier page: %s', async (stored) => {
    const { value, problems } = await visitTwice(`sessionStorage.setItem('authorization', ${JSON.stringify(stored)});`);
    expect(value).toEqual({});
    expect(problems).toEqual([]);
  });

  it('replaces damaged tokens by the next one', async () => {
    const { value } = await visitTwice(`sessionStorage.setItem('authorization', '{'); authorize('appToken', 'first');`);
    expect(value).toEqual({ appToken: 'first' });
  });
});
