import {
  AUDIT_SCOPE_MISSING,
  shortensAudit,
  type App,
  type AppContext,
  type AppQueries,
  type Apps,
  isCurrencyChanged,
  contextOf,
  DEFAULT_LANGUAGE,
  drawMediaPrefix,
  DEFAULT_PAYMENT_METHODS,
  type InvalidSettings,
  type ListedApp,
  patchedWarehouseCode,
  type NewApp,
  applyPatch,
  settingsEntries,
  settingsErrors,
  type SettingsFacts,
  type SettingsPatch,
} from '@back-office/apps';
import type { Clock, Refusal } from '@back-office/kernel';
import { DEFAULT_PRESET } from '@back-office/media';
import { isAccountNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { Postgres } from '../connection/postgres.js';
import { hasAmounts } from './app-currency.js';
import type { Sql } from '../connection/sql.js';
import type { Transaction } from '../connection/transaction.js';
import { SETTINGS_COLUMNS } from './app-columns.js';

const INSERT_APP = `
  insert into apps (media_prefix, inserted_at) values ($1, $2) returning id`;

const INSERT_SET_UP = `
  with settings as (
    insert into app_settings (app_id, name, currency, default_language, updated_at) values ($1, $9, $10, $11, $2)
  ), methods as (
    insert into payment_methods (app_id, code, name, kind, inserted_at, updated_at)
    select $1, kind, name, kind, $2, $2
    from json_to_recordset($3) as method (kind text, name text)
  )
  insert into cdn_upload_presets
    (app_id, name, output_format, max_width, quality, rendition_widths, is_default, inserted_at, updated_at)
  values ($1, $4, $5, $6, $7, $8, true, $2, $2)`;

const UPDATE_SETTINGS = `
  update app_settings set name = $2, currency = $3, default_language = $4, translations = $5, settings = $6,
    updated_at = $7
  where app_id = $1 returning name, currency, default_language, translations, settings`;

const LIST_APPS = `
  /* across apps: the list of apps */
  select a.id, s.name, s.currency, a.inserted_at as "insertedAt"
  from apps a join app_settings s on s.app_id = a.id
  where a.id > $1 order by a.id limit $2`;

const FIND_APP = `
  select ${SETTINGS_COLUMNS}, s.translations from app_settings s join apps a on a.id = s.app_id where s.app_id = $1`;

export class SqlApps implements Apps, AppQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  create({ name, currency, language = DEFAULT_LANGUAGE }: NewApp): Promise<number> {
    const now = this.clock.now();
    return this.database.transaction(async (transaction) => {
      const [app] = await transaction.rows<{ id: number }>(INSERT_APP, [drawMediaPrefix(randomInt), now]);
      const { id } = app as { id: number };
      const { name: presetName, outputFormat, maxWidth, quality, renditionWidths } = DEFAULT_PRESET;
      const preset = [presetName, outputFormat, maxWidth, quality, renditionWidths];
      const methods = JSON.stringify(DEFAULT_PAYMENT_METHODS);
      await transaction.runLast(INSERT_SET_UP, [id, now, methods, ...preset, name, currency, language]);
      return id;
    });
  }

  async hasApps(): Promise<boolean> {
    return (await this.database.rows('select id from apps limit 1')).length > 0;
  }

  async ids(): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>('select id from apps order by id');
    return rows.map(({ id }) => id);
  }

  list(afterId: number, limit: number): Promise<ListedApp[]> {
    return this.database.rows<ListedApp>(LIST_APPS, [afterId, limit]);
  }

  async find(appId: number): Promise<App | undefined> {
    return findApp(this.database, appId);
  }

  async context(appId: number): Promise<AppContext | undefined> {
    const app = await this.find(appId);
    return app && contextOf(app, app.default_language);
  }

  patch(
    appId: number,
    patch: SettingsPatch,
    canShortenAudit = true,
  ): Promise<App | InvalidSettings | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('app');
      // `for no key update` lets other transactions insert rows that refer to the app.
      const app = await findApp(transaction, appId, 'for no key update of s');
      if (app === undefined) return undefined;
      const now = this.clock.now();
      const patched = applyPatch(app, patch, now);
      if (!canShortenAudit && shortensAudit(app, patched)) return AUDIT_SCOPE_MISSING;
      const errors = settingsErrors(app, patched, patch, await factsOf(transaction, app, patched, patch));
      if (Object.keys(errors).length > 0) return { errors };
      transaction.record(appId, now, { entries: settingsEntries(app, patched) });
      const [stored] = await transaction.rows<Partial<App>>(UPDATE_SETTINGS, [
        appId,
        patched.name,
        patched.currency,
        patched.default_language,
        JSON.stringify(patched.translations),
        JSON.stringify(patched.settings),
        now,
      ]);
      return { ...app, ...stored };
    });
  }
}

async function factsOf(transaction: Transaction, app: App, patched: App, patch: SettingsPatch): Promise<SettingsFacts> {
  const warehouse = patchedWarehouseCode(patched, patch);
  return {
    hasAmounts: isCurrencyChanged(app, patched) && (await hasAmounts(transaction, app.id)),
    hasWarehouse: warehouse !== undefined && (await hasWarehouse(transaction, app.id, warehouse)),
    isAccountNumber,
  };
}

async function hasWarehouse(transaction: Transaction, appId: number, code: string): Promise<boolean> {
  const text = 'select id from warehouses where app_id = $1 and code = $2 and deleted_at is null';
  return (await transaction.rows(text, [appId, code])).length > 0;
}

async function findApp(sql: Sql, appId: number, lock: '' | 'for no key update of s' = ''): Promise<App | undefined> {
  const [app] = await sql.rows<App>(`${FIND_APP} ${lock}`, [appId]);
  return app;
}
