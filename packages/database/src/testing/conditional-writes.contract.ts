import type { AppQueries, Apps } from '@back-office/apps';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { isConditionFailed, type Calls } from '../index.js';

export interface ConditionalWritesFixture {
  readonly calls: Pick<Calls, 'runIf'>;
  readonly apps: Apps;
  readonly appQueries: AppQueries;
  makeApp(): Promise<number>;
  close(): Promise<void>;
}

export function conditionalWritesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ConditionalWritesFixture>,
): void {
  let fixture: ConditionalWritesFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const nameOf = async () => (await fixture.appQueries.find(appId))?.name;
  const rename = (name: string, app = appId) => fixture.apps.patch(app, { name });
  const runIfNamed = <Result>(name: string, work: () => Promise<Result>) =>
    fixture.calls.runIf({ kind: 'app', appId, id: appId, isMet: async () => (await nameOf()) === name }, work);
  const hasFailed = async (call: Promise<unknown>): Promise<boolean> => {
    try {
      await call;
      return false;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      return true;
    }
  };

  describe('a conditional write', () => {
    it('is made when its condition holds', async () => {
      await rename('old');
      expect(await runIfNamed('old', () => rename('new'))).toMatchObject({ name: 'new' });
      expect(await nameOf()).toBe('new');
    });

    it('writes nothing when its condition does not hold', async () => {
      await rename('old');
      expect(await hasFailed(runIfNamed('other', () => rename('new')))).toBe(true);
      expect(await nameOf()).toBe('old');
    });

    it('fails when another write changes the record after the call began', async () => {
      await rename('old');
      const call = runIfNamed('old', async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return rename('new');
      });
      await rename('meanwhile');
      expect(await hasFailed(call)).toBe(true);
      expect(await nameOf()).toBe('meanwhile');
    });

    it('succeeds only once among many concurrent writes', async () => {
      await rename('old');
      const names = Array.from({ length: 8 }, (_, index) => `new ${index}`);
      const failures = await Promise.all(names.map((name) => hasFailed(runIfNamed('old', () => rename(name)))));
      expect(failures.filter((failed) => !failed)).toHaveLength(1);
      expect(await nameOf()).toBe(names[failures.indexOf(false)]);
    });

    it('checks its condition only before the first write', async () => {
      await rename('old');
      await runIfNamed('old', async () => {
        await rename('first');
        await rename('second');
      });
      expect(await nameOf()).toBe('second');
    });

    it('does not impose its condition on other calls', async () => {
      const otherApp = await fixture.makeApp();
      await rename('old');
      const [failed] = await Promise.all([hasFailed(runIfNamed('other', () => rename('new'))), rename('x', otherApp)]);
      expect([failed, (await fixture.appQueries.find(otherApp))?.name]).toEqual([true, 'x']);
    });

    it('passes on an error of its work', async () => {
      await rename('old');
      const call = runIfNamed('old', () => Promise.reject(new Error('broken')));
      await expect(call).rejects.toThrow('broken');
    });
  });
}
