import { MIN_USE_INTERVAL_MS, type TokenAdministration, type TokenHolder, type TokenUse } from '@back-office/apps';
import type { Clock } from '@back-office/kernel';

type UsedToken = Pick<TokenHolder, 'tokenId' | 'lastUsedAt'> & { readonly app: { readonly id: number } };

/** Collects the uses of tokens and writes them in batches, so that no call waits for the write. */
export class TokenUses {
  private readonly usesByApp = new Map<number, Map<number, TokenUse>>();

  constructor(
    private readonly tokens: Pick<TokenAdministration, 'recordUses'>,
    private readonly clock: Clock,
  ) {}

  note({ tokenId, lastUsedAt, app }: UsedToken): void {
    const at = this.clock.now();
    if (lastUsedAt !== null && at.getTime() - lastUsedAt.getTime() < MIN_USE_INTERVAL_MS) return;
    const uses = this.usesByApp.get(app.id) ?? new Map<number, TokenUse>();
    this.usesByApp.set(app.id, uses.set(tokenId, { tokenId, at }));
  }

  async flush(): Promise<void> {
    const usesByApp = [...this.usesByApp];
    this.usesByApp.clear();
    for (const [appId, uses] of usesByApp) await this.tokens.recordUses(appId, [...uses.values()]);
  }
}
