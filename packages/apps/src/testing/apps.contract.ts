import { eachCase, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { App, AppQueries, Apps, SettingsPatch } from '../index.js';

export interface AppFixture {
  readonly apps: Apps;
  readonly appQueries: AppQueries;
  readonly clock: ManualClock;
  /** These three methods are optional. The contract skips tests that need a missing one. */
  addWarehouse?(appId: number, code: string): Promise<unknown>;
  deleteWarehouse?(appId: number, code: string): Promise<unknown>;
  addAmount?(appId: number, currency: string): Promise<unknown>;
  close(): Promise<void>;
}

const MISSING = 987_654_321;
const ACCOUNT = '160-0000000000000-11';

export function appsContract({ describe, it, before, after }: Runner, open: () => Promise<AppFixture>): void {
  let fixture: AppFixture;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());

  const create = (currency = 'RSD'): Promise<number> => fixture.apps.create({ name: 'Shop', currency });
  const find = async (id: number): Promise<App> => (await fixture.appQueries.find(id)) as App;
  const patch = (id: number, change: SettingsPatch) => fixture.apps.patch(id, change);

  describe('a new app', () => {
    it('is in English and has no settings by default', async () => {
      const id = await create();
      expect(await find(id)).toEqual({
        id,
        name: 'Shop',
        currency: 'RSD',
        default_language: 'en',
        translations: {},
        settings: {},
        media_prefix: expect.stringMatching(/^[a-z0-9]{8}$/),
      });
    });

    it('may have another language', async () => {
      const id = await fixture.apps.create({ name: 'Shop', currency: 'EUR', language: 'sr' });
      expect((await find(id)).default_language).toBe('sr');
    });

    it('has a unique id and prefix, even in concurrent calls', async () => {
      const ids = await Promise.all(Array.from({ length: 10 }, () => create()));
      const prefixes = await Promise.all(ids.map(async (id) => (await find(id)).media_prefix));
      expect([new Set(ids).size, new Set(prefixes).size]).toEqual([10, 10]);
    });

    it('has its id in the ascending list of all ids', async () => {
      const newIds = [await create(), await create()];
      const ids = await fixture.appQueries.ids();
      expect(ids).toEqual(expect.arrayContaining(newIds));
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
      expect(await fixture.appQueries.hasApps()).toBe(true);
    });

    it('is listed with its name, its currency and the time of its creation', async () => {
      const id = await create('EUR');
      const app = { id, name: 'Shop', currency: 'EUR', insertedAt: fixture.clock.now() };
      expect(await fixture.appQueries.list(id - 1, 10)).toEqual([app]);
      fixture.clock.forward({ hours: 1 });
      await patch(id, { name: 'New', currency: 'JPY' });
      expect(await fixture.appQueries.list(id - 1, 10)).toEqual([{ ...app, name: 'New', currency: 'JPY' }]);
    });

    it('is in exactly one page of the list', async () => {
      for (let count = 0; count < 5; count += 1) await create();
      const ids: number[] = [];
      for (let page = await fixture.appQueries.list(0, 2); page.length > 0;) {
        expect(page.length).toBeLessThanOrEqual(2);
        ids.push(...page.map(({ id }) => id));
        page = await fixture.appQueries.list(ids.at(-1) ?? 0, 2);
      }
      expect(ids).toEqual(await fixture.appQueries.ids());
    });

    it('has its default language in its context', async () => {
      const id = await create();
      await patch(id, { default_language: 'sr', translations: { sr: { hello: 'zdravo' }, en: { hello: 'hi' } } });
      const context = await fixture.appQueries.context(id);
      expect(context).toMatchObject({ id, currency: 'RSD', decimals: 2 });
      expect(context?.say('hello')).toBe('zdravo');
    });
  });

  describe('a missing app', () => {
    it('is not found and cannot be changed', async () => {
      const { find: findApp, context } = fixture.appQueries;
      expect(await findApp.call(fixture.appQueries, MISSING)).toBeUndefined();
      expect(await context.call(fixture.appQueries, MISSING)).toBeUndefined();
      expect(await patch(MISSING, { name: 'x' })).toBeUndefined();
    });
  });

  describe('a patch of an app', () => {
    it('returns the stored app and keeps absent fields', async () => {
      const id = await create();
      const firstPatch = await patch(id, {
        name: 'New',
        proforma: { lifetime_hours: 5 },
        translations: { en: { a: 'b' } },
      });
      expect(await find(id)).toEqual(firstPatch);
      const secondPatch = await patch(id, { proforma: { expire_paid: true }, translations: { en: { c: 'd' } } });
      expect(secondPatch).toMatchObject({
        name: 'New',
        settings: { proforma: { lifetime_hours: 5, expire_paid: true } },
        translations: { en: { a: 'b', c: 'd' } },
      });
      expect(await find(id)).toEqual(secondPatch);
    });

    it('restores the default of each field that is null', async () => {
      const id = await create();
      await patch(id, { default_language: 'sr', proforma: { lifetime_hours: 5 }, translations: { en: { a: 'b' } } });
      const defaults = { default_language: null, proforma: null, translations: { en: { a: null } } };
      expect(await patch(id, defaults)).toMatchObject({ default_language: 'en', settings: { proforma: {} } });
      expect((await find(id)).translations).toEqual({ en: {} });
    });

    it('changes no other app', async () => {
      const [id, otherId] = [await create(), await create()];
      const appBefore = await find(otherId);
      await patch(id, { name: 'New' });
      expect(await find(otherId)).toEqual(appBefore);
    });

    it('changes the currency of an app without amounts', async () => {
      const id = await create();
      expect(await patch(id, { currency: 'JPY' })).toMatchObject({ currency: 'JPY' });
    });

    it('cannot change the currency without a new minimum basket amount', async () => {
      const id = await create('RSD');
      await patch(id, { proforma: { minimum_basket_amount: 5_000 } });
      for (const otherFields of [{}, { proforma: {} }, { proforma: { lifetime_hours: 5 } }]) {
        expect(await patch(id, { currency: 'JPY', ...otherFields })).toEqual({ errors: { currency: ['is invalid'] } });
      }
      const newCurrency = { currency: 'JPY', proforma: { minimum_basket_amount: 50 } };
      expect(await patch(id, newCurrency)).toMatchObject({
        currency: 'JPY',
        settings: { proforma: newCurrency.proforma },
      });
      const restoredApp = await patch(id, { currency: 'RSD', proforma: null });
      expect(restoredApp).toMatchObject({ currency: 'RSD', settings: { proforma: {} } });
    });

    it('validates the account number for the currency', async () => {
      const id = await create('EUR');
      const account = { bank_account: { account_number: 'DE89370400440532013000' } };
      expect(await patch(id, account)).toMatchObject({ settings: account });
      expect(await patch(id, { currency: 'RSD' })).toEqual({
        errors: { 'bank_account.account_number': ['is invalid'] },
      });
    });

    const longTranslations = { en: { a: 'x'.repeat(128 * 1024) } };
    eachCase(it, [
      ['an account number', { bank_account: { account_number: ACCOUNT } }, 'bank_account.account_number', 'is invalid'],
      ['an unknown warehouse', { default_warehouse_code: 'W' }, 'default_warehouse_code', 'is invalid'],
      ['too many translations', { translations: longTranslations }, 'translations', 'is too long'],
    ] as [string, SettingsPatch, string, string][])(
      'is refused as a whole because of %s',
      async (_, invalidPatch, field, rule) => {
        const id = await create();
        const appBefore = await find(id);
        expect(await patch(id, { name: 'New', ...invalidPatch })).toEqual({ errors: { [field]: [rule] } });
        expect(await find(id)).toEqual(appBefore);
      },
    );

    it('returns all invalid fields', async () => {
      const invalidPatch = { default_warehouse_code: 'W', bank_account: { account_number: ACCOUNT } };
      expect(await patch(await create(), invalidPatch)).toEqual({
        errors: { 'bank_account.account_number': ['is invalid'], default_warehouse_code: ['is invalid'] },
      });
    });

    it('accepts a default warehouse until it is deleted', async () => {
      const id = await create();
      const warehousePatch = { default_warehouse_code: 'W1' };
      if (!fixture.addWarehouse || !fixture.deleteWarehouse) return;
      await fixture.addWarehouse(await create(), 'W1');
      expect(await patch(id, warehousePatch)).toHaveProperty('errors');
      await fixture.addWarehouse(id, 'W1');
      expect(await patch(id, warehousePatch)).toMatchObject({ settings: warehousePatch });
      await fixture.deleteWarehouse(id, 'W1');
      expect(await patch(id, warehousePatch)).toHaveProperty('errors');
      expect(await patch(id, { name: 'New' })).toMatchObject({ name: 'New', settings: warehousePatch });
    });

    it('cannot change the currency of an app with amounts', async () => {
      const [id, otherId] = [await create(), await create()];
      if (!fixture.addAmount) return;
      await fixture.addAmount(id, 'RSD');
      expect(await patch(id, { currency: 'EUR' })).toEqual({ errors: { currency: ['is invalid'] } });
      expect(await patch(id, { currency: 'RSD' })).toMatchObject({ currency: 'RSD' });
      expect(await patch(otherId, { currency: 'EUR' })).toMatchObject({ currency: 'EUR' });
    });

    it('is merged with concurrent patches', async () => {
      const id = await create();
      const keys = Array.from({ length: 10 }, (_, index) => `key${index}`);
      await Promise.all(keys.map((key) => patch(id, { translations: { en: { [key]: key } } })));
      expect(Object.keys((await find(id)).translations['en'] ?? {}).sort()).toEqual(keys);
    });
  });
}
