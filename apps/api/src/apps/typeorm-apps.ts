import { decimalsOf, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { randomInt } from 'node:crypto';
import type { AppContext } from '../http/app-context.js';
import { hashOfToken, newToken, type AccessTokens, type TokenHolder, type TokenKind } from '../http/authentication.js';
import { speechOf } from '../http/speech.js';
import type { Database, Sql } from '../database/database.js';
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

  /** Merges a patch into the app's settings, one patch after the other. */
  patch(appId: number, patch: PatchSettings): Promise<AppRow | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('app');
      const app = await findApp(transaction, appId, 'for update');
      if (app === undefined) return undefined;
      // Stored amounts are in the currency's minor units: another currency would change what they mean.
      if ((patch.currency ?? app.currency) !== app.currency) return refuse('is invalid', 'currency');
      const translations = mergeTranslations(app.translations, patch.translations);
      if (patch.translations && areTooLong(translations)) return refuse('is too long', 'translations');
      const name = patch.name ?? app.name;
      const language =
        patch.default_language === null ? DEFAULT_LANGUAGE : (patch.default_language ?? app.default_language);
      const settings = mergeSettings(app.settings, patch);
      const [changed] = await transaction.rows<AppRow>(
        `update apps a set name = $2, default_language = $3, translations = $4, settings = $5, updated_at = $6
         where a.id = $1 returning ${APP_COLUMNS}`,
        [appId, name, language, JSON.stringify(translations), JSON.stringify(settings), this.clock.now()],
      );
      return changed;
    });
  }
}

async function findApp(sql: Sql, appId: number, lock: '' | 'for update' = ''): Promise<AppRow | undefined> {
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
