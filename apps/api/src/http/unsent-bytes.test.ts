import type { Response } from 'express';
import { EventEmitter } from 'node:events';
import { UnsentBytes } from './unsent-bytes.js';

const newResponse = () => new EventEmitter() as unknown as Response;

describe('the unsent bytes of an app', () => {
  it('stay at the maximum until a response closes', () => {
    const unsent = new UnsentBytes(200_000);
    const [first, second] = [newResponse(), newResponse()];
    unsent.add(1, first, 100_000);
    expect(unsent.isFull(1)).toBe(false);
    unsent.add(1, second, 100_000);
    expect([unsent.isFull(1), unsent.isFull(2)]).toEqual([true, false]);
    first.emit('close');
    expect(unsent.isFull(1)).toBe(false);
  });

  it('exclude answers to clients that have left', () => {
    const unsent = new UnsentBytes(1_000);
    unsent.add(1, Object.assign(newResponse(), { closed: true }), 100_000);
    expect(unsent.isFull(1)).toBe(false);
  });

  it('exclude small answers', () => {
    const unsent = new UnsentBytes(1_000);
    unsent.add(1, newResponse(), 60_000);
    expect(unsent.isFull(1)).toBe(false);
  });
});
