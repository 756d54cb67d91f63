export function randomHash(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
