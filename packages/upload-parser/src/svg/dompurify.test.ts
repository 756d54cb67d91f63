import { UnreadableFile } from '@back-office/media';
import { readFileSync } from 'node:fs';
import { forbiddenIn, sanitize } from '../../testing/svg/index.js';

/**
 * Attacks from the tests of DOMPurify 3.4 (Apache-2.0, Cure53 and contributors), each as well-formed XML, in SVG and in
 * HTML within SVG.
 */
const DRAWINGS = JSON.parse(
  readFileSync(new URL('../../testing/svg/dompurify-drawings.json', import.meta.url), 'utf8'),
) as readonly string[];

describe('the attacks from the tests of DOMPurify', () => {
  it('leave no forbidden content in the sanitized drawing', async () => {
    let sanitizedCount = 0;
    const problems: string[] = [];
    for (const drawing of DRAWINGS) {
      try {
        problems.push(...forbiddenIn(await sanitize(drawing)));
        sanitizedCount += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableFile);
      }
    }
    expect(problems).toEqual([]);
    expect(sanitizedCount).toBe(DRAWINGS.length);
  });
});
