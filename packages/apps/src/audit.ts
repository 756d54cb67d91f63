import { changedFields, type AuditAction, type AuditEntry, type Page } from '@back-office/kernel';
import type { TokenKind } from './access-tokens.js';
import { completeSettings, type App } from './app.js';
import type { AppToken } from './token-administration.js';

export interface Actor {
  readonly kind: 'app' | 'session' | 'cli' | 'worker';
  readonly tokenId: number | null;
  readonly customerId: number | null;
  readonly address: string | null;
  /** The caller's id of the request, or else the service's. */
  readonly requestId: string | null;
  /** Null in entries of earlier releases. */
  readonly serviceRequestId: string | null;
}

const WITHOUT_REQUEST = { tokenId: null, customerId: null, address: null, requestId: null, serviceRequestId: null };
export const CLI_ACTOR: Actor = { kind: 'cli', ...WITHOUT_REQUEST };
/** Actor of changes that are made neither by an API call nor by a command. */
export const WORKER_ACTOR: Actor = { kind: 'worker', ...WITHOUT_REQUEST };

export interface AuditRecord extends Actor {
  readonly id: number;
  readonly at: Date;
  readonly action: AuditAction;
  readonly subjectId: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly subjectId?: number | undefined;
  readonly tokenId?: number | undefined;
  readonly from?: Date | undefined;
  /** Exclusive end of the range. */
  readonly until?: Date | undefined;
}

/** Adapters write an audit entry in the same transaction as the change. */
export interface AuditLog {
  /** Lists entries of the app, newest first. */
  list(appId: number, filter: AuditFilter, page: Page): Promise<AuditRecord[]>;
  /** Writes the entry of a call that changes nothing in the database. */
  note(appId: number, entry: AuditEntry): Promise<void>;
  /** Removes a batch of entries older than the app's `audit.retention_days`; returns true when more may remain. */
  purge(): Promise<boolean>;
}

/**
 * Returns one entry, or none when nothing has changed. The entry names the languages of changed translations, but omits
 * the translations, because they are long.
 */
export function settingsEntries(before: App, after: App): AuditEntry[] {
  const changes = changedFields(auditedSettings(before), auditedSettings(after));
  const languages = Object.keys(changedFields(before.translations, after.translations).after);
  const translations = languages.length > 0 ? { translations: languages } : {};
  if (Object.keys({ ...changes.before, ...changes.after, ...translations }).length === 0) return [];
  return [{ action: 'settings.change', before: changes.before, after: { ...changes.after, ...translations } }];
}

function auditedSettings(app: App): object {
  const { name, currency, default_language } = app;
  const sections: readonly [string, unknown][] = Object.entries(completeSettings(app));
  const fields = sections.flatMap(([section, values]) =>
    typeof values === 'object' && values !== null
      ? Object.entries(values).map(([field, value]: [string, unknown]): [string, unknown] => [
          `${section}.${field}`,
          value,
        ])
      : [[section, values] as [string, unknown]],
  );
  return { name, currency, default_language, ...Object.fromEntries(fields) };
}

type TokenAction = Extract<AuditAction, `access_token.${string}`>;

export function tokenEntry(action: TokenAction, after: AppToken, before?: AppToken): AuditEntry {
  const changes = changedFields(before ? auditedToken(before) : {}, auditedToken(after));
  return { action, subjectId: after.id, ...(before && { before: changes.before }), after: changes.after };
}

/** Returns no entry when no field has changed. */
export function tokenChangeEntries(after: AppToken, before: AppToken): AuditEntry[] {
  const entry = tokenEntry('access_token.change', after, before);
  return Object.keys(entry.after ?? {}).length > 0 ? [entry] : [];
}

export function rotationEntry(oldToken: AppToken, newToken: AppToken): AuditEntry {
  const { after } = tokenEntry('access_token.rotate', newToken);
  return { action: 'access_token.rotate', subjectId: oldToken.id, after: { ...after, access_token_id: newToken.id } };
}

/** An entry for a session contains only the id, because the other fields are personal data. */
export function revocationEntry(kind: TokenKind, token: AppToken): AuditEntry {
  if (kind === 'session') return { action: 'session.end', subjectId: token.id };
  return tokenEntry('access_token.revoke', token, { ...token, revokedAt: null });
}

function auditedToken({ name, scopes, language, expiresAt, revokedAt }: AppToken): object {
  return { name, scopes, language, expires_at: expiresAt, revoked_at: revokedAt };
}
