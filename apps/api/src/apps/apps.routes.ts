import { hasScope, type AppQueries, type Apps } from '@back-office/apps';
import { isRefusal } from '@back-office/kernel';
import { answerWith, ok } from '../http/answer.js';
import { fieldErrorsAnswer, scopeMissingAnswer } from '../http/errors.js';
import { route, type Route } from '../http/route.js';
import { record } from '../http/shapes.js';
import { AppSettingsShape, PatchSettings, presentSettings } from './app-settings.js';
import type { CachedTokens } from './cached-tokens.js';

export function appRoutes(apps: Apps, queries: AppQueries, tokens: CachedTokens): Route[] {
  return [
    route({
      method: 'get',
      path: '/app/settings',
      caller: 'app',
      scope: 'settings:read',
      extension: true,
      summary: "Reads the app's settings",
      answers: { 200: record({ data: AppSettingsShape }) },
      handle: async ({ app }) => answerWith(await queries.find(app.id), (foundApp) => ok(presentSettings(foundApp))),
    }),
    route({
      method: 'patch',
      path: '/app/settings',
      guard: { kind: 'app', shownBy: '/app/settings', id: ({ app }) => app.id },
      caller: 'app',
      scope: 'settings:write',
      extension: true,
      summary:
        "Changes the app's settings; absent fields stay, null restores the default and keeps `name` and `currency`; a shorter `audit.retention_days` also needs the scope `audit:write`, and counts for later entries",
      body: PatchSettings,
      answers: { 200: record({ data: AppSettingsShape }) },
      handle: async ({ app, scopes, body }) => {
        const result = await apps.patch(app.id, body, hasScope(scopes, 'audit:write'));
        tokens.forgetAll();
        if (result === undefined) return undefined;
        if (isRefusal(result)) return scopeMissingAnswer('audit:write', app);
        return 'errors' in result ? fieldErrorsAnswer(result.errors, app) : ok(presentSettings(result));
      },
    }),
  ];
}
