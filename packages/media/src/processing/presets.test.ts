import fc from 'fast-check';
import { DEFAULT_PRESET, planSizes, scaleTo } from './presets.js';

describe('planSizes', () => {
  it('limits the main width and keeps the aspect ratio', () => {
    expect(planSizes({ width: 4_000, height: 3_000 }, DEFAULT_PRESET)).toEqual({
      main: { width: 2_560, height: 1_920 },
      renditions: [
        { label: 'w320', width: 320, height: 240 },
        { label: 'w640', width: 640, height: 480 },
        { label: 'w1280', width: 1_280, height: 960 },
      ],
    });
  });

  it('skips renditions wider than the original', () => {
    expect(planSizes({ width: 640, height: 10 }, DEFAULT_PRESET)).toEqual({
      main: { width: 640, height: 10 },
      renditions: [
        { label: 'w320', width: 320, height: 5 },
        { label: 'w640', width: 640, height: 10 },
      ],
    });
    expect(planSizes({ width: 319, height: 1 }, DEFAULT_PRESET).renditions).toEqual([]);
  });

  it('sorts distinct widths', () => {
    const { renditions } = planSizes({ width: 900, height: 900 }, { maxWidth: 500, renditionWidths: [800, 200, 800] });
    expect(renditions.map(({ label }) => label)).toEqual(['w200', 'w800']);
  });
});

describe('scaleTo', () => {
  it('returns a size between one pixel and the original size', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 20_000 }), height: fc.integer({ min: 1, max: 20_000 }) });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 5_000 }), (original, width) => {
        const scaledSize = scaleTo(width, original);
        expect(scaledSize.width).toBe(Math.min(width, original.width));
        expect(scaledSize.height).toBeGreaterThanOrEqual(1);
        expect(scaledSize.height).toBeLessThanOrEqual(original.height);
      }),
      { numRuns: 1_000 },
    );
  });
});
