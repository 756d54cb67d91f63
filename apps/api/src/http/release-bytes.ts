/**
 * Moves bytes that nobody reads any more to a new object. The next small garbage collection frees that object, but only
 * a full one frees an object that is already old. Does nothing if the bytes are part of a larger buffer.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && byteLength === buffer.byteLength)
    structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
}
