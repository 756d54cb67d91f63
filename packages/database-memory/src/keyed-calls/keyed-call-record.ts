import type { StoredAnswer } from '@back-office/apps';
import type { Outcome } from '../keyed-write.js';
import type { Stored } from '../memory.js';

export interface KeyedCallRecord extends Stored {
  readonly tokenId: number;
  readonly key: string;
  /** SHA-256 of the call, in hexadecimal. */
  readonly fingerprint: string;
  readonly run: string;
  readonly leasedUntil: Date;
  readonly outcome: Outcome | undefined;
  readonly answer: StoredAnswer | 'not kept' | undefined;
  readonly insertedAt: Date;
}
