import type { App } from './app.js';
import { applyPatch, isAuditExpired } from './settings-patch.js';

const APP = { id: 1, currency: 'RSD', default_language: 'en', translations: {}, settings: {} } as unknown as App;
const DAY_MS = 24 * 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);
const onDay = (day: number): Date => new Date(START_MS + day * DAY_MS);
const shortenAt = (app: App, day: number, days: number): App =>
  applyPatch(app, { audit: { retention_days: days } }, onDay(day));

describe('the retention of the audit log', () => {
  it('remembers only longer retentions, however often it is shortened and lengthened', () => {
    let app = APP;
    for (let day = 1; day <= 50; day += 1) app = shortenAt(shortenAt(app, day, 30), day, 400);
    expect(app.settings.earlier_audit).toEqual([{ until: onDay(50).toISOString(), days: 400 }]);
  });

  it('keeps each entry for the longest retention since it was written', () => {
    const app = shortenAt(shortenAt(shortenAt(APP, 0, 900), 10, 400), 20, 30);
    const isExpired = (writtenOn: number, day: number): boolean => isAuditExpired(app, onDay(writtenOn), onDay(day));
    expect([isExpired(5, 905), isExpired(5, 906)]).toEqual([false, true]);
    expect([isExpired(15, 415), isExpired(15, 416)]).toEqual([false, true]);
    expect([isExpired(25, 55), isExpired(25, 56)]).toEqual([false, true]);
  });
});
