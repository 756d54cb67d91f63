import type { Clock } from '@back-office/kernel';
import {
  blobKey,
  blobKeysOf,
  staleReceiptsBefore,
  stepOf,
  type MediaApp,
  type Receipt,
  type UploadReceipts,
} from '@back-office/media';
import { randomUUID } from 'node:crypto';
import type { State } from '../state.js';
import { JobList } from './job-list.js';

const MAX_SWEPT_PER_BATCH = 500;

/** Uses no transactions, because a keyed call must use its first transaction to store the file. */
export class MemoryUploadReceipts implements UploadReceipts {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async begin(app: MediaApp, keepsOriginal: boolean): Promise<Receipt> {
    const content = blobKey(app.prefix, randomUUID());
    const original = keepsOriginal ? blobKey(app.prefix, randomUUID()) : null;
    const receipt = { state: 'receiving', content, original, inserted_at: this.clock.now() } as const;
    const { id } = this.state.files.insert(app.id, receipt);
    return { appId: app.id, id, content, original };
  }

  async end({ appId, id }: Pick<Receipt, 'appId' | 'id'>): Promise<void> {
    this.remove(appId, id);
  }

  async sweep(): Promise<boolean> {
    const staleSince = staleReceiptsBefore(this.clock.now());
    const staleReceipts = this.state.files
      .appIds()
      .flatMap((appId) => this.state.files.all(appId).map((file) => ({ appId, file })))
      .filter(({ file }) => stepOf('abandon', file.state) === 'removed' && file.inserted_at < staleSince)
      .slice(0, MAX_SWEPT_PER_BATCH);
    for (const { appId, file } of staleReceipts) this.remove(appId, file.id);
    return staleReceipts.length === MAX_SWEPT_PER_BATCH;
  }

  private remove(appId: number, id: number): void {
    const receipt = this.state.files.get(appId, id);
    if (receipt === undefined || stepOf('abandon', receipt.state) !== 'removed') return;
    this.state.files.delete(appId, id);
    this.jobs.addTidying({ appId, blobs: blobKeysOf([receipt]), keys: [] });
  }
}
