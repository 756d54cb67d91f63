export type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Speech {
  /** Returns the message in the caller's language, or the key when the app has no translation. */
  say(message: string): string;
}

export const PLAIN_SPEECH: Speech = { say: (message) => message };

export function speechOf(translations: Translations, language: string): Speech {
  const sentences = Object.hasOwn(translations, language) ? translations[language] : undefined;
  return {
    say: (message) => (sentences && Object.hasOwn(sentences, message) ? (sentences[message] ?? message) : message),
  };
}
