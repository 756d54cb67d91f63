import type { Refusal } from '@back-office/kernel';
import {
  contentOf,
  REFERENCE_TAKEN,
  type StockCallKind,
  type StockCallResult,
  type StockQuantity,
} from '@back-office/stock';
import { createHash } from 'node:crypto';
import type { Transaction } from '../connection/transaction.js';

export interface ReferencedCall {
  readonly appId: number;
  readonly kind: StockCallKind;
  readonly rows: readonly (StockQuantity | string)[];
  readonly reference: string;
  readonly now: Date;
}

// Waits for a concurrent call with this reference, so that only one of them books.
const CLAIM = `
  insert into stock_references (app_id, reference, content_hash, booked_at) values ($1, $2, $3, $4)
  on conflict (app_id, reference) do nothing returning reference`;
const READ = `
  select content_hash as "contentHash", updated, failed, movement_ids as "movementIds"
  from stock_references where app_id = $1 and reference = $2`;
const KEEP = `
  update stock_references set updated = $3, failed = $4, movement_ids = $5 where app_id = $1 and reference = $2`;
const RELEASE = 'delete from stock_references where app_id = $1 and reference = $2';

type KeptRow = StockCallResult & { readonly contentHash: string };

/**
 * Runs `book` once per reference, and keeps its result. Returns the kept result to a repeat. `book` must not commit. A
 * call that writes no row leaves the reference free.
 */
export async function bookOnce<Result extends StockCallResult | undefined>(
  transaction: Transaction,
  { appId, kind, rows, reference, now }: ReferencedCall,
  book: () => Promise<Result>,
): Promise<Result | StockCallResult | Refusal> {
  const key = [appId, reference];
  const contentHash = createHash('sha256').update(contentOf(kind, rows)).digest('hex');
  transaction.locks('bulk');
  const claimed = await transaction.rows(CLAIM, [...key, contentHash, now]);
  if (claimed.length === 0) return readRepeat(transaction, key, contentHash);
  const result = await book();
  if (result === undefined || result.updated === 0) await transaction.runLast(RELEASE, key);
  else {
    const { updated, failed, movementIds } = result;
    await transaction.runLast(KEEP, [...key, updated, JSON.stringify(failed), JSON.stringify(movementIds)]);
  }
  return result;
}

async function readRepeat(
  transaction: Transaction,
  key: readonly unknown[],
  expectedHash: string,
): Promise<StockCallResult | Refusal> {
  const [{ contentHash, ...outcome }] = (await transaction.rows<KeptRow>(READ, key)) as [KeptRow];
  return contentHash === expectedHash ? { ...outcome, isRepeat: true } : REFERENCE_TAKEN;
}
