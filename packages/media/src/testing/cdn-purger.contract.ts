import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { CdnPurger } from '../index.js';

const TIMEOUT_MS = 10_000;
const REPETITIONS = 30;
const CLOSING_MS = 2_000;

export interface PurgerFixture {
  readonly purger: CdnPurger;
  readonly urls: readonly [string, string];
  cacheUrl(url: string): Promise<void>;
  isCached(url: string): Promise<boolean>;
  /** Purger of the same kind, for a cache that refuses calls or does not answer. */
  readonly unreachable: CdnPurger;
  /**
   * Purgers of the same kind, for caches that fail in other ways than {@link unreachable}, for example by a redirect.
   * Each key describes the failure.
   */
  readonly failingPurgers?: Readonly<Record<string, CdnPurger>>;
  /**
   * Purgers of the same kind, for caches that have no copy and report this in different formats. Each key describes the
   * format.
   */
  readonly purgersWithoutCopies?: Readonly<Record<string, CdnPurger>>;
  readonly purgerWithoutCache?: CdnPurger;
  /** Returns the number of connections that the caches of `purgersWithoutCopies` hold open. */
  openConnections?(): Promise<number>;
  close(): Promise<void>;
}

export function cdnPurgerContract({ describe, it, before, after }: Runner, open: () => Promise<PurgerFixture>): void {
  let fixture: PurgerFixture;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());

  const cachedStates = () => Promise.all(fixture.urls.map((url) => fixture.isCached(url)));

  describe('purge', () => {
    it('purges every address and no other', async () => {
      const [firstUrl, secondUrl] = fixture.urls;
      await fixture.cacheUrl(firstUrl);
      await fixture.cacheUrl(secondUrl);
      expect(await fixture.purger.purge([firstUrl])).toBe(true);
      expect(await cachedStates()).toEqual([false, true]);
      await fixture.cacheUrl(firstUrl);
      expect(await fixture.purger.purge([firstUrl, secondUrl])).toBe(true);
      expect(await cachedStates()).toEqual([false, false]);
    });

    it('succeeds without cached copies', async () => {
      expect(await fixture.purger.purge(fixture.urls)).toBe(true);
    });

    it('accepts an empty list of addresses', async () => {
      expect(await fixture.purger.purge([])).toBe(true);
    });

    it('returns false when a copy may remain', async () => {
      expect(await fixture.unreachable.purge(fixture.urls)).toBe(false);
    });

    it('returns false within 10 s, however the cache fails', async () => {
      const failingPurgers = Object.entries(fixture.failingPurgers ?? {});
      const startedAt = performance.now();
      const results = await Promise.all(
        failingPurgers.map(async ([failure, purger]) => `${failure}: ${await purger.purge(fixture.urls)}`),
      );
      expect(results).toEqual(failingPurgers.map(([failure]) => `${failure}: false`));
      expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS);
    });

    it('returns true, however the cache reports that no copy is left', async () => {
      const clearingPurgers = Object.entries(fixture.purgersWithoutCopies ?? {});
      const results = await Promise.all(
        clearingPurgers.map(async ([report, purger]) => `${report}: ${await purger.purge(fixture.urls)}`),
      );
      expect(results).toEqual(clearingPurgers.map(([report]) => `${report}: true`));
    });

    it('closes its connections', async () => {
      const { openConnections, purgersWithoutCopies = {} } = fixture;
      if (openConnections === undefined) return;
      for (const purger of Object.values(purgersWithoutCopies)) await purger.purge(fixture.urls);
      for (let waitedMs = 0; waitedMs < CLOSING_MS && (await openConnections()) > 0; waitedMs += 20)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await openConnections()).toBe(0);
    });

    it('purges addresses that are repeated', async () => {
      const urls = Array.from({ length: REPETITIONS }, () => fixture.urls).flat();
      for (const url of fixture.urls) await fixture.cacheUrl(url);
      expect(await fixture.purger.purge(urls)).toBe(true);
      expect(await cachedStates()).toEqual([false, false]);
    });

    it('states whether a cache is configured', async () => {
      expect(fixture.purger.isConfigured).toBe(true);
      if (fixture.purgerWithoutCache === undefined) return;
      expect(fixture.purgerWithoutCache.isConfigured).toBe(false);
      expect(await fixture.purgerWithoutCache.purge(fixture.urls)).toBe(false);
    });
  });
}
