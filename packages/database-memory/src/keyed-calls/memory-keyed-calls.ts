import {
  ANSWER_RETENTION_HOURS,
  RUN_LEASE_MS,
  type StoredAnswer,
  type KeyedCall,
  type KeyedCalls,
  type Run,
} from '@back-office/apps';
import { WrittenByAnother } from '@back-office/database';
import { addHours, type Clock } from '@back-office/kernel';
import { randomUUID } from 'node:crypto';
import { hexOf } from '../apps/held-tokens.js';
import { MemoryKeyedWrite, type Outcome } from '../keyed-write.js';
import type { State } from '../state.js';
import type { KeyedCallRecord } from './keyed-call-record.js';

/** Methods are synchronous steps without a transaction, since the first transaction is the write of the call. */
export class MemoryKeyedCalls implements KeyedCalls {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused'> {
    const now = this.clock.now();
    const { appId, tokenId, key } = call;
    const fingerprint = hexOf(call.fingerprint);
    const found = this.state.keyedCalls.find(appId, (each) => each.tokenId === tokenId && each.key === key);
    const known = found && found.insertedAt >= addHours(now, -ANSWER_RETENTION_HOURS) ? found : undefined;
    if (known && known.fingerprint !== fingerprint) return 'reused';
    if (known?.answer) return known.answer;
    if (known && known.leasedUntil > now) return 'running';
    const run = randomUUID();
    const leasedUntil = new Date(now.getTime() + RUN_LEASE_MS);
    const insertedAt = known?.insertedAt ?? now;
    const taken = {
      tokenId,
      key,
      fingerprint,
      run,
      leasedUntil,
      outcome: known?.outcome,
      answer: undefined,
      insertedAt,
    };
    if (found) this.state.keyedCalls.put(appId, { ...taken, id: found.id });
    else this.state.keyedCalls.insert(appId, taken);
    return { ...call, id: run, keyedWrite: this.writeOf(appId, run, known?.outcome) };
  }

  async renew({ appId, id: run }: Run): Promise<void> {
    const record = this.recordOf(appId, run);
    if (record?.answer !== undefined) return;
    this.change(appId, run, { leasedUntil: new Date(this.clock.now().getTime() + RUN_LEASE_MS) });
  }

  async storeAnswer({ appId, id: run }: Run, answer: StoredAnswer): Promise<void> {
    this.change(appId, run, { answer, outcome: undefined });
  }

  async release({ appId, id: run }: Run): Promise<void> {
    const record = this.recordOf(appId, run);
    if (record?.outcome) this.change(appId, run, { leasedUntil: this.clock.now() });
    else if (record && !record.answer) this.state.keyedCalls.delete(appId, record.id);
  }

  /** Removes all in one batch. */
  async purge(): Promise<boolean> {
    const end = addHours(this.clock.now(), -ANSWER_RETENTION_HOURS);
    const { keyedCalls } = this.state;
    for (const appId of keyedCalls.appIds()) {
      for (const { id, insertedAt } of keyedCalls.all(appId)) if (insertedAt < end) keyedCalls.delete(appId, id);
    }
    return false;
  }

  private writeOf(appId: number, run: string, earlier: Outcome | undefined): MemoryKeyedWrite {
    return new MemoryKeyedWrite(earlier, (outcome) => {
      const record = this.recordOf(appId, run);
      if (record === undefined || record.outcome !== undefined) throw new WrittenByAnother();
      this.change(appId, run, { outcome });
    });
  }

  /** The call, unless another run has taken its key. */
  private recordOf(appId: number, run: string): KeyedCallRecord | undefined {
    return this.state.keyedCalls.find(appId, (each) => each.run === run);
  }

  private change(appId: number, run: string, changes: Partial<KeyedCallRecord>): void {
    const record = this.recordOf(appId, run);
    if (record) this.state.keyedCalls.put(appId, { ...record, ...changes });
  }
}
