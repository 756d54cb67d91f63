import { REAL_DRAWINGS } from '../../testing/svg/index.js';
import { svgSize } from './svg-size.js';

const makeRoot = (attributes: string): Uint8Array =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><g`);

describe('svgSize', () => {
  it.each([
    ['width="120" height="80"', { width: 120, height: 80 }],
    ['width="120px" height=" 80 "', { width: 120, height: 80 }],
    ['width="1in" height="2.54cm"', { width: 96, height: 96 }],
    ['width="210mm" height="297mm"', { width: 794, height: 1123 }],
    ['width="72pt" height="6pc"', { width: 96, height: 96 }],
    ['width="1e2" height="1.5E+1"', { width: 100, height: 15 }],
    ['viewBox="0 0 24 48"', { width: 24, height: 48 }],
    ['viewBox="-5,-5 , 24.4 48.6"', { width: 24, height: 49 }],
    ['width="100%" height="100%" viewBox="0 0 24 48"', { width: 24, height: 48 }],
    ['width="240" viewBox="0 0 24 48"', { width: 240, height: 480 }],
    ['height="240" width="auto" viewBox="0 0 24 48"', { width: 120, height: 240 }],
    ['width="0.2" height="0.2"', { width: 1, height: 1 }],
  ])('reads %s', (attributes, size) => {
    expect(svgSize(makeRoot(attributes))).toEqual(size);
  });

  it.each([
    ['no attributes', ''],
    ['percentages', 'width="50%" height="50%"'],
    ['a width only', 'width="50"'],
    ['zeros', 'width="0" height="0"'],
    ['a negative width', 'width="-5" height="5" viewBox="0 0 -5 5"'],
    ['an oversized width', 'width="1e300" height="5"'],
    ['words', 'width="wide" height="high" viewBox="a b c d"'],
  ])('returns undefined for %s', (_, attributes) => {
    expect(svgSize(makeRoot(attributes))).toBeUndefined();
  });

  it('ignores nested drawings', () => {
    expect(
      svgSize(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><svg width="5" height="5"/></svg>')),
    ).toBeUndefined();
  });

  it.each(['<html/>', '<svg width="5" height="5"/>', '', 'text', '<!DOCTYPE svg [', '\uFFFF'])(
    'returns undefined for %j',
    (text) => {
      expect(svgSize(Buffer.from(text))).toBeUndefined();
    },
  );

  it('reads real drawings', () => {
    expect(REAL_DRAWINGS.map(([, source]) => svgSize(Buffer.from(source)))).toEqual([
      { width: 227, height: 151 },
      { width: 120, height: 80 },
      { width: 96, height: 64 },
      { width: 50, height: 50 },
      { width: 50, height: 50 },
    ]);
  });

  it('reads UTF-16', () => {
    const text = '\uFEFF<svg xmlns="http://www.w3.org/2000/svg" width="5" height="6"/>';
    expect(svgSize(Buffer.from(text, 'utf16le'))).toEqual({ width: 5, height: 6 });
  });
});
