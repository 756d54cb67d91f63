const MEGABYTE = 2 ** 20;

/**
 * Limits each WebAssembly memory of this thread, because Node's resource limits do not include such memory. Growing
 * beyond the limit throws, as on a machine without free memory.
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
