import { isInitiallyPending } from './public-library.js';

describe('isInitiallyPending', () => {
  it.each([
    ['an image', 'image/jpeg', false, true],
    ['a text', 'text/plain', false, false],
    ['a text in a store that serves files', 'text/plain', true, true],
  ])('for %s (%s), while the store serves files itself is %s, returns %s', (_, mime, isPublished, expected) => {
    expect(isInitiallyPending({ isPublished }, mime)).toBe(expected);
  });
});
