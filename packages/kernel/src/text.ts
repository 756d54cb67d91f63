export const MAX_STRING_LENGTH = 255;
export const MAX_TEXT_LENGTH = 5_000;

/** Returns false for a text with NUL or half a surrogate pair, because databases refuse or change such a text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/**
 * Returns the form in which a barcode or reference is stored: trimmed, unless the record already has exactly the sent
 * value, spaces included.
 */
export function storedIdentifier(sent: string, stored: string | null = null): string {
  return sent === stored ? sent : sent.trim();
}

/** Returns the sent identifiers and their stored forms, each value once. */
export function withStoredForms(identifiers: readonly string[]): string[] {
  return [...new Set([...identifiers, ...identifiers.map((identifier) => storedIdentifier(identifier))])];
}

/** Removes the character from both ends in linear time; a pattern such as `/\/+$/` takes quadratic time. */
export function trimCharacter(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return trimEndCharacters(text.slice(start), character);
}

/** Removes trailing characters in linear time. `characters` lists the characters to remove. */
export function trimEndCharacters(text: string, characters: string): string {
  let length = text.length;
  while (length > 0 && characters.includes(text.charAt(length - 1))) length -= 1;
  return text.slice(0, length);
}

export function characterCount(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Returns the length in bytes. Half a surrogate pair has three bytes, like its replacement character. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1));
    if (isPair) index += 1;
    bytes += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
