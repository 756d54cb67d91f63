import type { App } from './app.js';
import type { AppContext } from './app-context.js';
import type { SettingsPatch } from './settings-patch.js';

export interface NewApp {
  readonly name: string;
  readonly currency: string;
  /** English when absent. */
  readonly language?: string;
}

/** Errors of a patch by the path of the field. */
export interface InvalidSettings {
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** Payment methods of a new app; the code of a method is its kind. */
export const DEFAULT_PAYMENT_METHODS = [
  { kind: 'cash', name: 'Cash' },
  { kind: 'bank_transfer', name: 'Bank transfer' },
  { kind: 'card', name: 'Card' },
] as const;

const PREFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PREFIX_LENGTH = 8;

/** Draws the prefix of an app's media keys. `draw` returns an integer from 0 to `below` - 1. */
export function drawMediaPrefix(draw: (below: number) => number): string {
  return Array.from({ length: PREFIX_LENGTH }, () => PREFIX_ALPHABET[draw(PREFIX_ALPHABET.length)]).join('');
}

export interface Apps {
  /** Adds an app with default payment methods and upload preset; returns its id. */
  create(app: NewApp): Promise<number>;
  /**
   * Merges a patch into the app's settings; concurrent patches are serialized. An invalid field changes nothing.
   * `undefined` when there is no such app.
   */
  patch(appId: number, patch: SettingsPatch): Promise<App | InvalidSettings | undefined>;
}

export interface AppQueries {
  any(): Promise<boolean>;
  /** The ids of all apps, ascending. */
  ids(): Promise<number[]>;
  /** `undefined` when there is no such app. */
  find(appId: number): Promise<App | undefined>;
  /** The app for background work, in its default language; `undefined` when there is no such app. */
  context(appId: number): Promise<AppContext | undefined>;
}
