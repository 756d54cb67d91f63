import type { Clock } from '@back-office/kernel';
import { Remembered } from '../database/remembered.js';
import type { AccessTokens, TokenHolder } from '../http/authentication.js';

const REMEMBERED_FOR_MS = 1_000;

/** Token holders, remembered for a second, so that a revoked token stops working on every node within two. */
export class RememberedTokens implements AccessTokens {
  private readonly holders: Remembered<TokenHolder>;

  constructor(
    private readonly tokens: AccessTokens,
    clock: Clock,
  ) {
    this.holders = new Remembered(REMEMBERED_FOR_MS, clock);
  }

  holderOf(hash: Buffer): Promise<TokenHolder | undefined> {
    return this.holders.find(hash.toString('latin1'), () => this.tokens.holderOf(hash));
  }

  forget(hash: Buffer): void {
    this.holders.forget(hash.toString('latin1'));
  }

  forgetAll(): void {
    this.holders.forgetAll();
  }
}
