/** Converts letter by letter, like PostgreSQL; `toLowerCase` treats `İ` and a final `Σ` differently. */
export function lowerCase(text: string): string {
  return Array.from(text, (letter) => (letter === 'İ' ? 'i' : letter.toLowerCase())).join('');
}
