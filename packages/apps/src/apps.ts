import type { Refusal } from '@back-office/kernel';
import type { App } from './app.js';
import type { AppContext } from './app-context.js';
import type { SettingsPatch } from './settings-patch.js';

export interface NewApp {
  readonly name: string;
  readonly currency: string;
  readonly language?: string;
}

export interface InvalidSettings {
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export const DEFAULT_PAYMENT_METHODS = [
  { kind: 'cash', name: 'Cash' },
  { kind: 'bank_transfer', name: 'Bank transfer' },
  { kind: 'card', name: 'Card' },
] as const;

const PREFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const PREFIX_LENGTH = 8;

/** `draw(limit)` returns a random integer from 0 to `limit - 1`. */
export function drawMediaPrefix(draw: (limit: number) => number): string {
  return Array.from({ length: PREFIX_LENGTH }, () => PREFIX_ALPHABET[draw(PREFIX_ALPHABET.length)]).join('');
}

export interface Apps {
  /** Adds an app with default payment methods and upload preset; returns its id. */
  create(app: NewApp): Promise<number>;
  /**
   * Merges a patch into the app's settings; concurrent patches are serialized. One invalid field refuses the whole
   * patch. Refuses a shorter retention of the audit log unless `canShortenAudit`, the default. Returns `undefined` when
   * the app does not exist.
   */
  patch(
    appId: number,
    patch: SettingsPatch,
    canShortenAudit?: boolean,
  ): Promise<App | InvalidSettings | Refusal | undefined>;
}

export interface ListedApp {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly insertedAt: Date;
}

export interface AppQueries {
  hasApps(): Promise<boolean>;
  ids(): Promise<number[]>;
  /** Returns at most `limit` apps with ids above `afterId`, in the order of their ids. */
  list(afterId: number, limit: number): Promise<ListedApp[]>;
  /** Returns `undefined` when the app does not exist. */
  find(appId: number): Promise<App | undefined>;
  /** Returns the app in its default language, for background work; `undefined` when the app does not exist. */
  context(appId: number): Promise<AppContext | undefined>;
}
