import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { CdnPurger } from '../index.js';

const LIMIT_MS = 10_000;
const MANY = 30;

export interface GivenPurger {
  readonly purger: CdnPurger;
  /** Two addresses that the cache can hold. */
  readonly urls: readonly [string, string];
  /** Caches the address. */
  fill(url: string): Promise<void>;
  isCached(url: string): Promise<boolean>;
  /** The same kind of purger, for a cache that does not answer or refuses. */
  readonly unreachable: CdnPurger;
  /** The same kind for caches that fail in other ways, such as by a redirect or silence. Keys describe them. */
  readonly failing?: Readonly<Record<string, CdnPurger>>;
  /** The same kind for caches that have no copy left and say so in other ways. Keys describe them. */
  readonly clearing?: Readonly<Record<string, CdnPurger>>;
  /** What an installation without a cache has. */
  readonly absent?: CdnPurger;
  close(): Promise<void>;
}

/** Tests for every adapter of {@link CdnPurger}. */
export function cdnPurgerContract({ describe, it, before, after }: Runner, open: () => Promise<GivenPurger>): void {
  let given: GivenPurger;
  before(async () => {
    given = await open();
  });
  after(() => given.close());

  const cached = () => Promise.all(given.urls.map((url) => given.isCached(url)));

  describe('purge', () => {
    it('purges every address and no other', async () => {
      const [first, second] = given.urls;
      await given.fill(first);
      await given.fill(second);
      expect(await given.purger.purge([first])).toBe(true);
      expect(await cached()).toEqual([false, true]);
      await given.fill(first);
      expect(await given.purger.purge([first, second])).toBe(true);
      expect(await cached()).toEqual([false, false]);
    });

    it('succeeds without cached copies', async () => {
      expect(await given.purger.purge(given.urls)).toBe(true);
    });

    it('succeeds for no addresses', async () => {
      expect(await given.purger.purge([])).toBe(true);
    });

    it('returns false when a copy may remain', async () => {
      expect(await given.unreachable.purge(given.urls)).toBe(false);
    });

    it('answers false within 10 s, however the cache fails', async () => {
      const failing = Object.entries(given.failing ?? {});
      const begun = performance.now();
      const said = await Promise.all(failing.map(async ([how, purger]) => `${how}: ${await purger.purge(given.urls)}`));
      expect(said).toEqual(failing.map(([how]) => `${how}: false`));
      expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
    });

    it('succeeds, however the cache says that no copy is left', async () => {
      const clearing = Object.entries(given.clearing ?? {});
      const said = await Promise.all(
        clearing.map(async ([how, purger]) => `${how}: ${await purger.purge(given.urls)}`),
      );
      expect(said).toEqual(clearing.map(([how]) => `${how}: true`));
    });

    it('clears addresses that are given many times', async () => {
      const urls = Array.from({ length: MANY }, () => given.urls).flat();
      for (const url of given.urls) await given.fill(url);
      expect(await given.purger.purge(urls)).toBe(true);
      expect(await cached()).toEqual([false, false]);
    });

    it('is configured where there is a cache', async () => {
      expect(given.purger.isConfigured).toBe(true);
      if (given.absent === undefined) return;
      expect(given.absent.isConfigured).toBe(false);
      expect(await given.absent.purge(given.urls)).toBe(false);
    });
  });
}
