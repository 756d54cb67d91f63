import type { AppQueries, Apps } from '@back-office/apps';
import { answerWith, ok } from '../http/answer.js';
import { fieldErrorsAnswer } from '../http/errors.js';
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
        "Changes the app's settings; absent fields stay, null restores the default and keeps `name` and `currency`",
      body: PatchSettings,
      answers: { 200: record({ data: AppSettingsShape }) },
      handle: async ({ app, body }) => {
        const result = await apps.patch(app.id, body);
        tokens.forgetAll();
        if (result === undefined) return undefined;
        return 'errors' in result ? fieldErrorsAnswer(result.errors, app) : ok(presentSettings(result));
      },
    }),
  ];
}
