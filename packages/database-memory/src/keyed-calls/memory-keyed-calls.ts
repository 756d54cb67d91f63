import {
  ANSWER_RETENTION_HOURS,
  MAX_ANSWER_BYTES_OF_APP,
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

/** Must not open a transaction, because `Memory` would take it for the write of the running keyed call. */
export class MemoryKeyedCalls implements KeyedCalls {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused' | 'not kept'> {
    const now = this.clock.now();
    const { appId, tokenId, key } = call;
    const fingerprint = hexOf(call.fingerprint);
    const existingRecord = this.state.keyedCalls.find(
      appId,
      (candidate) => candidate.tokenId === tokenId && candidate.key === key,
    );
    const validRecord =
      existingRecord && existingRecord.insertedAt >= addHours(now, -ANSWER_RETENTION_HOURS)
        ? existingRecord
        : undefined;
    if (validRecord && validRecord.fingerprint !== fingerprint) return 'reused';
    if (validRecord?.answer) return validRecord.answer;
    if (validRecord && validRecord.leasedUntil > now) return 'running';
    const run = randomUUID();
    const leasedUntil = new Date(now.getTime() + RUN_LEASE_MS);
    const insertedAt = validRecord?.insertedAt ?? now;
    const newRecord = {
      tokenId,
      key,
      fingerprint,
      run,
      leasedUntil,
      outcome: validRecord?.outcome,
      answer: undefined,
      insertedAt,
    };
    if (existingRecord) this.state.keyedCalls.put(appId, { ...newRecord, id: existingRecord.id });
    else this.state.keyedCalls.insert(appId, newRecord);
    return { ...call, id: run, keyedWrite: this.makeWrite(appId, run, validRecord?.outcome) };
  }

  async renew({ appId, id: run }: Run): Promise<void> {
    const record = this.recordOf(appId, run);
    if (record?.answer !== undefined) return;
    this.change(appId, run, { leasedUntil: new Date(this.clock.now().getTime() + RUN_LEASE_MS) });
  }

  async storeAnswer({ appId, id: run }: Run, answer: StoredAnswer): Promise<void> {
    const keptBytes = this.state.keyedCalls.all(appId).reduce((sum, record) => sum + bytesOf(record.answer), 0);
    const isKept = keptBytes + bytesOf(answer) <= MAX_ANSWER_BYTES_OF_APP;
    this.change(appId, run, { answer: isKept ? answer : 'not kept', outcome: undefined });
  }

  async release({ appId, id: run }: Run): Promise<void> {
    const record = this.recordOf(appId, run);
    if (record?.outcome) this.change(appId, run, { leasedUntil: this.clock.now() });
    else if (record && !record.answer) this.state.keyedCalls.delete(appId, record.id);
  }

  async purge(): Promise<boolean> {
    const expiredBefore = addHours(this.clock.now(), -ANSWER_RETENTION_HOURS);
    const { keyedCalls } = this.state;
    for (const appId of keyedCalls.appIds()) {
      for (const { id, insertedAt } of keyedCalls.all(appId))
        if (insertedAt < expiredBefore) keyedCalls.delete(appId, id);
    }
    return false;
  }

  private makeWrite(appId: number, run: string, earlierOutcome: Outcome | undefined): MemoryKeyedWrite {
    return new MemoryKeyedWrite(earlierOutcome, (outcome) => {
      const record = this.recordOf(appId, run);
      if (record === undefined || record.outcome !== undefined) throw new WrittenByAnother();
      this.change(appId, run, { outcome });
    });
  }

  /** Returns `undefined` when another run has taken the key. */
  private recordOf(appId: number, run: string): KeyedCallRecord | undefined {
    return this.state.keyedCalls.find(appId, (candidate) => candidate.run === run);
  }

  private change(appId: number, run: string, changes: Partial<KeyedCallRecord>): void {
    const record = this.recordOf(appId, run);
    if (record) this.state.keyedCalls.put(appId, { ...record, ...changes });
  }
}

function bytesOf(answer: KeyedCallRecord['answer']): number {
  return answer === undefined || answer === 'not kept' ? 0 : (answer.text?.length ?? 0);
}
