import {
  AUDIT_SCOPE_MISSING,
  shortensAudit,
  isCurrencyChanged,
  contextOf,
  DEFAULT_LANGUAGE,
  drawMediaPrefix,
  patchedWarehouseCode,
  applyPatch,
  settingsEntries,
  settingsErrors,
  type App,
  type AppContext,
  type AppQueries,
  type Apps,
  type InvalidSettings,
  type ListedApp,
  type NewApp,
  type SettingsPatch,
} from '@back-office/apps';
import type { Clock, Refusal } from '@back-office/kernel';
import { isAccountNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { State } from '../state.js';
import { audit } from './audit-entries.js';
import { addDefaultRecords, hasWarehouse, hasAmounts } from './other-areas.js';

/** App id of the records that belong to no app. */
export const NO_APP_ID = 0;

export class MemoryApps implements Apps, AppQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async create({ name, currency, language = DEFAULT_LANGUAGE }: NewApp): Promise<number> {
    return this.state.memory.transaction(() => {
      const { id } = this.state.apps.insert(NO_APP_ID, {
        name,
        currency,
        default_language: language,
        translations: {},
        settings: {},
        media_prefix: drawMediaPrefix(randomInt),
      });
      const now = this.clock.now();
      this.state.appCreations.put(NO_APP_ID, { id, insertedAt: now });
      addDefaultRecords(this.state, id, now);
      return id;
    });
  }

  async hasApps(): Promise<boolean> {
    return (await this.ids()).length > 0;
  }

  async ids(): Promise<number[]> {
    return this.state.apps.all(NO_APP_ID).map(({ id }) => id);
  }

  async list(afterId: number, limit: number): Promise<ListedApp[]> {
    const apps = this.state.apps.all(NO_APP_ID).filter(({ id }) => id > afterId);
    return apps.slice(0, limit).map(({ id, name, currency }) => {
      const { insertedAt } = this.state.appCreations.get(NO_APP_ID, id) as { insertedAt: Date };
      return { id, name, currency, insertedAt };
    });
  }

  async find(appId: number): Promise<App | undefined> {
    return this.state.apps.get(NO_APP_ID, appId);
  }

  async context(appId: number): Promise<AppContext | undefined> {
    const app = await this.find(appId);
    return app && contextOf(app, app.default_language);
  }

  async patch(
    appId: number,
    patch: SettingsPatch,
    canShortenAudit = true,
  ): Promise<App | InvalidSettings | Refusal | undefined> {
    return this.state.memory.transaction(() => {
      const app = this.state.apps.get(NO_APP_ID, appId);
      if (app === undefined) return undefined;
      const nextApp = applyPatch(app, patch, this.clock.now());
      if (!canShortenAudit && shortensAudit(app, nextApp)) return AUDIT_SCOPE_MISSING;
      const warehouse = patchedWarehouseCode(nextApp, patch);
      const errors = settingsErrors(app, nextApp, patch, {
        hasAmounts: isCurrencyChanged(app, nextApp) && hasAmounts(this.state, appId),
        hasWarehouse: warehouse !== undefined && hasWarehouse(this.state, appId, warehouse),
        isAccountNumber,
      });
      if (Object.keys(errors).length > 0) return { errors };
      audit(this.state, appId, this.clock.now(), settingsEntries(app, nextApp));
      this.state.apps.put(NO_APP_ID, nextApp);
      return nextApp;
    });
  }
}
