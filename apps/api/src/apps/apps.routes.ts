import { answered, ok } from '../http/answer.js';
import { fieldErrorsAnswer } from '../http/errors.js';
import { route, type Route } from '../http/route.js';
import { record } from '../http/shapes.js';
import { AppSettingsShape, PatchSettings, presentSettings } from './app-settings.js';
import type { RememberedTokens } from './remembered-tokens.js';
import type { TypeOrmApps } from './typeorm-apps.js';

export function appRoutes(apps: TypeOrmApps, tokens: RememberedTokens): Route[] {
  return [
    route({
      method: 'get',
      path: '/app/settings',
      caller: 'app',
      extension: true,
      summary: "The app's settings",
      answers: { 200: record({ data: AppSettingsShape }) },
      handle: async ({ app }) => answered(await apps.find(app.id), (found) => ok(presentSettings(found))),
    }),
    route({
      method: 'patch',
      path: '/app/settings',
      caller: 'app',
      extension: true,
      summary: "Changes the app's settings; only what is sent changes, a null puts the default back",
      body: PatchSettings,
      answers: { 200: record({ data: AppSettingsShape }) },
      handle: async ({ app, body }) => {
        const patched = await apps.patch(app.id, body);
        tokens.forgetAll();
        if (patched === undefined) return undefined;
        return 'errors' in patched ? fieldErrorsAnswer(patched.errors, app) : ok(presentSettings(patched));
      },
    }),
  ];
}
