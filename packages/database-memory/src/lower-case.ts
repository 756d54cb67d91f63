/** Converts letter by letter, like the database. JavaScript treats `İ` and a final `Σ` differently. */
export function lowerCase(text: string): string {
  return Array.from(text, (letter) => (letter === 'İ' ? 'i' : letter.toLowerCase())).join('');
}
