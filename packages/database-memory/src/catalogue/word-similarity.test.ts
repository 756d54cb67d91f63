import { wordSimilarity } from './word-similarity.js';

describe('wordSimilarity', () => {
  // PostgreSQL 15 computed the expected values, in single precision.
  it.each([
    ['word', 'two words', 0.8],
    ['runner', 'blue runner', 1],
    ['runer', 'runner', 0.625],
    ['zorble', 'zorrble', 0.6666667],
    ['abab', 'ab abab ababab', 1],
    ['RUN', 'run', 1],
    ['runner', '', 0],
    ['👟', '👟', 0],
    ['šć', 'šć-2', 1],
  ])('rates the similarity of "%s" to "%s" as %d', (query, text, expected) => {
    expect(wordSimilarity(query, text)).toBeCloseTo(expected, 6);
  });
});
