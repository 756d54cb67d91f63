import { UnreadableFile } from '@back-office/media';
import { drawing, sanitize } from '../../testing/svg/index.js';

const MAX_CPU_MS = 2_000;

const list = (count: number, format: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => format(index)).join(separator);
const styleOf = (selector: string, declarations: string): string => `<style>${selector}{${declarations}}</style>`;

describe('a drawing that takes more work than its size suggests', () => {
  it.each([
    [
      'references of many classes',
      () =>
        drawing(
          styleOf(
            list(9_000, (at) => `.c${at}`, ','),
            list(3_000, (at) => `fill:url(#r${at})`, ';'),
          ),
        ),
    ],
    [
      'references of every element',
      () => drawing(list(3_000, (at) => `<g id="g${at}"/>${styleOf('*', `fill:url(#g${at})`)}`)),
    ],
    [
      'references of one class in every element',
      () =>
        drawing(
          styleOf(
            '.a',
            list(4_000, (at) => `fill:url(#g${at})`, ';'),
          ) + list(9_000, (at) => `<g id="g${at}" class="a"/>`),
        ),
    ],
    ['nested brackets', () => drawing(`<path transform="${'('.repeat(2_000_000)}${')'.repeat(2_000_000)}"/>`)],
    ['many functions', () => drawing(`<path transform="${'rotate(1)'.repeat(400_000)}"/>`)],
  ])('is refused or stripped early: %s', async (_, make) => {
    const source = make();
    const before = process.cpuUsage();
    await sanitize(source, 65_536).catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableFile));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  });
});
