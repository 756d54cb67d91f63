import fc from 'fast-check';
import { DEFAULT_PRESET, plannedSizes, scaledTo } from './presets.js';

describe('the sizes of an image', () => {
  it('are the main one at most as wide as the preset says, and the renditions in the same shape', () => {
    expect(plannedSizes({ width: 4_000, height: 3_000 }, DEFAULT_PRESET)).toEqual({
      main: { width: 2_560, height: 1_920 },
      renditions: [
        { label: 'w320', width: 320, height: 240 },
        { label: 'w640', width: 640, height: 480 },
        { label: 'w1280', width: 1_280, height: 960 },
      ],
    });
  });

  it('are never larger than the original', () => {
    expect(plannedSizes({ width: 640, height: 10 }, DEFAULT_PRESET)).toEqual({
      main: { width: 640, height: 10 },
      renditions: [
        { label: 'w320', width: 320, height: 5 },
        { label: 'w640', width: 640, height: 10 },
      ],
    });
    expect(plannedSizes({ width: 319, height: 1 }, DEFAULT_PRESET).renditions).toEqual([]);
  });

  it('name each width once, from the narrowest on', () => {
    const { renditions } = plannedSizes(
      { width: 900, height: 900 },
      { maxWidth: 500, renditionWidths: [800, 200, 800] },
    );
    expect(renditions.map(({ label }) => label)).toEqual(['w200', 'w800']);
  });

  it('are at least one pixel high, and at most the original', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 20_000 }), height: fc.integer({ min: 1, max: 20_000 }) });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 5_000 }), (original, width) => {
        const scaled = scaledTo(width, original);
        expect(scaled.width).toBe(Math.min(width, original.width));
        expect(scaled.height).toBeGreaterThanOrEqual(1);
        expect(scaled.height).toBeLessThanOrEqual(original.height);
      }),
      { numRuns: 1_000 },
    );
  });
});
