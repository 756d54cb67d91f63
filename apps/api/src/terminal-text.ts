/** Blanks characters that could control the terminal or reorder its text. */
export function blankControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}

/** Puts a text that a user entered into quotes for a message. */
export function quote(text: string): string {
  return `"${blankControls(text)}"`;
}
