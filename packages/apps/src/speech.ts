export type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Translates messages into one language of an app. */
export interface Speech {
  /** Returns the app's translation of the message, or the message itself when the app has none. */
  say(message: string): string;
}

export const PLAIN_SPEECH: Speech = { say: (message) => message };

export function speechOf(translations: Translations, language: string): Speech {
  const sentences = Object.hasOwn(translations, language) ? translations[language] : undefined;
  return {
    say: (message) => (sentences && Object.hasOwn(sentences, message) ? (sentences[message] ?? message) : message),
  };
}
