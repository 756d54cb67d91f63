import type { Response } from 'express';
import { EventEmitter } from 'node:events';
import { UnsentBytes } from './unsent-bytes.js';

const responseOf = (bytes: number) =>
  Object.assign(new EventEmitter(), { getHeader: () => bytes }) as unknown as Response;

describe('the unsent bytes of an app', () => {
  it('reach the maximum until a response closes', () => {
    const unsent = new UnsentBytes(200_000);
    const [first, second] = [responseOf(100_000), responseOf(100_000)];
    unsent.add(1, first);
    expect(unsent.isFull(1)).toBe(false);
    unsent.add(1, second);
    expect([unsent.isFull(1), unsent.isFull(2)]).toEqual([true, false]);
    first.emit('close');
    expect(unsent.isFull(1)).toBe(false);
  });

  it('exclude small answers', () => {
    const unsent = new UnsentBytes(1_000);
    unsent.add(1, responseOf(60_000));
    expect(unsent.isFull(1)).toBe(false);
  });
});
