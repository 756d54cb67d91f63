import { decimalsOf, type Clock } from '@back-office/kernel';
import { isAccountNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { AppContext } from '../http/app-context.js';
import { hashOfToken, newToken, type AccessTokens, type TokenHolder, type TokenKind } from '../http/authentication.js';
import type { FieldErrors } from '../http/errors.js';
import { IS_INVALID, IS_TOO_LONG } from '../http/request-fields.js';
import { speechOf } from '../http/speech.js';
import type { Database, Sql, Transaction } from '../database/database.js';
import { holdsAmounts } from './app-currency.query.js';
import {
  areTooLong,
  mergeSettings,
  mergeTranslations,
  presentSettings,
  type AppRow,
  type PatchSettings,
} from './app-settings.js';

const SETTINGS_COLUMNS = 'a.id, a.name, a.currency, a.default_language, a.settings, a.media_prefix';
const APP_COLUMNS = `${SETTINGS_COLUMNS}, a.translations`;
const DEFAULT_LANGUAGE = 'en';
const PREFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

const INSERT_APP = `
  insert into apps (name, currency, default_language, media_prefix, inserted_at, updated_at)
  values ($1, $2, $3, $4, $5, $5) returning id`;

const INSERT_METHODS_AND_PRESET = `
  with methods as (
    insert into payment_methods (app_id, code, name, kind, inserted_at, updated_at)
    select $1, kind, name, kind, $2, $2
    from (values ('cash', 'Cash'), ('bank_transfer', 'Bank transfer'), ('card', 'Card')) as method (kind, name)
  )
  insert into cdn_upload_presets
    (app_id, name, output_format, max_width, quality, rendition_widths, is_default, inserted_at, updated_at)
  values ($1, 'default', 'webp', 2560, 82, '{320,640,1280}', true, $2, $2)`;

const INSERT_TOKEN = `
  insert into access_tokens (app_id, kind, token_hash, language, inserted_at, expires_at)
  select id, 'app', $2, $3, $4, $5 from apps where id = $1 returning id`;

/** Every call looks its token up, so of the translations only the token's language is read. */
const FIND_HOLDER = `
  select t.id as token_id, t.kind, t.customer_id, spoken.language, t.expires_at, t.revoked_at, ${SETTINGS_COLUMNS},
    jsonb_strip_nulls(jsonb_build_object(spoken.language, a.translations -> spoken.language)) as translations
  from access_tokens t join apps a on a.id = t.app_id
    cross join lateral (select coalesce(t.language, a.default_language) as language) spoken
  where t.token_hash = $1`;

interface HolderRow extends AppRow {
  readonly token_id: number;
  readonly kind: TokenKind;
  readonly customer_id: number | null;
  readonly language: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

export interface NewApp {
  readonly name: string;
  readonly currency: string;
  readonly language?: string;
}

export interface NewToken {
  readonly appId: number;
  readonly language?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** Apps and their access tokens. A token itself is never stored, only its SHA-256. */
export class TypeOrmApps implements AccessTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Makes an app with its three payment methods and its preset for uploads, and answers its id. */
  create({ name, currency, language = DEFAULT_LANGUAGE }: NewApp): Promise<number> {
    const now = this.clock.now();
    return this.database.transaction(async (transaction) => {
      const [app] = await transaction.rows<{ id: number }>(INSERT_APP, [name, currency, language, randomPrefix(), now]);
      const { id } = app as { id: number };
      await transaction.last(INSERT_METHODS_AND_PRESET, [id, now]);
      return id;
    });
  }

  /** A new app token, shown this one time; `undefined` when there is no such app. */
  async issueToken({ appId, language, expiresAt }: NewToken): Promise<string | undefined> {
    const token = newToken('app');
    const values = [appId, hashOfToken(token), language ?? null, this.clock.now(), expiresAt ?? null];
    const issued = await this.database.rows(INSERT_TOKEN, values);
    return issued.length > 0 ? token : undefined;
  }

  /** False when nobody holds the token. Revoking again keeps the first time. */
  async revokeToken(token: string): Promise<boolean> {
    const revoked = await this.database.rows(
      'update access_tokens set revoked_at = coalesce(revoked_at, $2) where token_hash = $1 returning id',
      [hashOfToken(token), this.clock.now()],
    );
    return revoked.length > 0;
  }

  async holderOf(hash: Buffer): Promise<TokenHolder | undefined> {
    const [row] = await this.database.rows<HolderRow>(FIND_HOLDER, [hash]);
    if (row === undefined) return undefined;
    const { token_id: tokenId, kind, customer_id: customerId, language } = row;
    const { expires_at: expiresAt, revoked_at: revokedAt } = row;
    return { tokenId, kind, customerId, expiresAt, revokedAt, app: contextOf(row, language) };
  }

  /** Whether the installation has any app yet. */
  async any(): Promise<boolean> {
    return (await this.database.rows('select id from apps limit 1')).length > 0;
  }

  /** Of every app of the installation. */
  async ids(): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>('select id from apps order by id');
    return rows.map(({ id }) => id);
  }

  async find(appId: number): Promise<AppRow | undefined> {
    return findApp(this.database, appId);
  }

  /** The app as background work sees it. */
  async context(appId: number): Promise<AppContext | undefined> {
    const app = await this.find(appId);
    return app && contextOf(app, app.default_language);
  }

  /** Merges a patch into the app's settings, one patch after the other; with anything invalid nothing changes. */
  patch(appId: number, patch: PatchSettings): Promise<AppRow | InvalidSettings | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('app');
      // `no key`: inserts of rows that refer to the app lock its key.
      const app = await findApp(transaction, appId, 'for no key update');
      if (app === undefined) return undefined;
      const next = patchedApp(app, patch);
      const errors = await errorsIn(transaction, app, next, patch);
      if (Object.keys(errors).length > 0) return { errors };
      const [changed] = await transaction.rows<AppRow>(
        `update apps a set name = $2, currency = $3, default_language = $4, translations = $5, settings = $6,
           updated_at = $7
         where a.id = $1 returning ${APP_COLUMNS}`,
        [
          appId,
          next.name,
          next.currency,
          next.default_language,
          JSON.stringify(next.translations),
          JSON.stringify(next.settings),
          this.clock.now(),
        ],
      );
      return changed;
    });
  }
}

/** What is wrong with a patch, by the path of the field. */
export interface InvalidSettings {
  readonly errors: FieldErrors;
}

function patchedApp(app: AppRow, patch: PatchSettings): AppRow {
  return {
    ...app,
    name: patch.name ?? app.name,
    currency: patch.currency ?? app.currency,
    default_language:
      patch.default_language === null ? DEFAULT_LANGUAGE : (patch.default_language ?? app.default_language),
    translations: mergeTranslations(app.translations, patch.translations),
    settings: mergeSettings(app.settings, patch),
  };
}

async function errorsIn(
  transaction: Transaction,
  app: AppRow,
  next: AppRow,
  patch: PatchSettings,
): Promise<FieldErrors> {
  const errors: Record<string, readonly string[]> = {};
  const changesCurrency = next.currency !== app.currency;
  // Stored amounts are in the currency's minor units: another currency would change what they mean.
  if (changesCurrency && (await holdsAmounts(transaction, app.id))) {
    errors['currency'] = [IS_INVALID];
  }
  if (patch.translations && areTooLong(next.translations)) errors['translations'] = [IS_TOO_LONG];
  const { account_number: account = '' } = next.settings.bank_account ?? {};
  const namesAccount = patch.bank_account?.account_number !== undefined || changesCurrency;
  if (namesAccount && account.trim() !== '' && !isAccountNumber(account, next.currency)) {
    errors['bank_account.account_number'] = [IS_INVALID];
  }
  const { default_warehouse_code: warehouse } = next.settings;
  if (patch.default_warehouse_code && warehouse && !(await hasWarehouse(transaction, app.id, warehouse))) {
    errors['default_warehouse_code'] = [IS_INVALID];
  }
  return errors;
}

async function hasWarehouse(transaction: Transaction, appId: number, code: string): Promise<boolean> {
  const text = 'select id from warehouses where app_id = $1 and code = $2 and deleted_at is null';
  return (await transaction.rows(text, [appId, code])).length > 0;
}

async function findApp(sql: Sql, appId: number, lock: '' | 'for no key update' = ''): Promise<AppRow | undefined> {
  const [app] = await sql.rows<AppRow>(`select ${APP_COLUMNS} from apps a where a.id = $1 ${lock}`, [appId]);
  return app;
}

function contextOf(app: AppRow, language: string): AppContext {
  const settings = presentSettings(app);
  const { bank_account: account, proforma, media } = settings;
  return {
    id: app.id,
    currency: app.currency,
    decimals: decimalsOf(app.currency),
    settings: {
      proforma: { lifetimeHours: proforma.lifetime_hours, expirePaid: proforma.expire_paid },
      bankAccount: {
        beneficiary: account.beneficiary,
        address: account.address,
        accountNumber: account.account_number,
        purpose: account.purpose,
        paymentCode: account.payment_code,
      },
      loyaltyPointsPerAmount: settings.loyalty.points_per_amount,
      defaultWarehouseCode: settings.default_warehouse_code,
      media: {
        prefix: media.prefix,
        trashRetentionDays: media.trash_retention_days,
        refusesDeleteInUse: media.refuse_delete_in_use,
        unusedThresholdDays: media.unused_threshold_days,
      },
    },
    ...speechOf(app.translations, language),
  };
}

function randomPrefix(): string {
  return Array.from({ length: 8 }, () => PREFIX_ALPHABET[randomInt(PREFIX_ALPHABET.length)]).join('');
}
