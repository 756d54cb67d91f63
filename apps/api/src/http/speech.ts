/** Sentences of an app by language and key. */
export type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Speech {
  /** The app's sentence for a message key in the caller's language, else the key itself. */
  say(message: string): string;
}

export const PLAIN_SPEECH: Speech = { say: (message) => message };

export function speechOf(translations: Translations, language: string): Speech {
  const sentences = Object.hasOwn(translations, language) ? translations[language] : undefined;
  return {
    say: (message) => (sentences && Object.hasOwn(sentences, message) ? (sentences[message] ?? message) : message),
  };
}
