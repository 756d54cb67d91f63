/** A name for a file that comes back into a folder in which its own is taken by now. */
export function restoredName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) {
    const candidate = number === 2 && !taken.has(name) ? name : `${name} (${number})`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Tags as a list, or as one text with commas; trimmed, each once, in their order. */
export function tagsOf(value: readonly string[] | string): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value;
  return [...new Set(parts.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}
