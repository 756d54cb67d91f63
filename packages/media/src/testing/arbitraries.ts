import fc from 'fast-check';

export const chunkSizes = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 8 })
  .filter((sizes) => sizes.some((size) => size > 0));
