const MEGABYTE = 2 ** 20;

/**
 * What WebAssembly may hold in this thread from now on: its memory counts for none of the limits that a thread can be
 * given. Where there is no more, the library is told so like on any machine that has no more.
 */
export function limitMemory(megabytes: number): void {
  const memory = WebAssembly.Memory.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- called with its memory below
  const { grow } = memory;
  memory.grow = function (this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + pages * 65_536 > megabytes * MEGABYTE) throw new RangeError('No more memory');
    return grow.call(this, pages);
  };
}
