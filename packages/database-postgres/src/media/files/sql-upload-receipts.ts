import type { Clock } from '@back-office/kernel';
import {
  blobKey,
  blobKeysOf,
  staleReceiptsBefore,
  type Blobs,
  type MediaApp,
  type Receipt,
  type UploadReceipts,
} from '@back-office/media';
import { randomUUID } from 'node:crypto';
import { stateBeforeSql } from './file-states.js';
import { addTidying } from '../processing/media-jobs.js';
import type { Postgres } from '../../connection/postgres.js';
import type { Sql } from '../../connection/sql.js';

const SWEPT_AT_ONCE = 500;

const BEGIN_UPLOAD = `
  insert into cdn_files (app_id, state, content, original, last_modified, inserted_at)
  values ($1, 'receiving', $2, $3, $4, $4) returning id`;

const END_UPLOADS = `
  delete from cdn_files where app_id = $1 and id = any($2) and ${stateBeforeSql('abandon', 'removed')}
  returning content, original`;

const FIND_STALE_UPLOADS = `
  /* across apps: stale uploads */
  select app_id as "appId", id from cdn_files
  where ${stateBeforeSql('abandon', 'removed')} and inserted_at < $1 order by app_id, id limit ${SWEPT_AT_ONCE}`;

export class SqlUploadReceipts implements UploadReceipts {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async begin(app: MediaApp, keepsOriginal: boolean): Promise<Receipt> {
    const content = blobKey(app.prefix, randomUUID());
    const original = keepsOriginal ? blobKey(app.prefix, randomUUID()) : null;
    const values = [app.id, content, original, this.clock.now()];
    const [row] = await this.database.rows<{ id: number }>(BEGIN_UPLOAD, values);
    return { appId: app.id, id: (row as { id: number }).id, content, original };
  }

  async end({ appId, id }: Pick<Receipt, 'appId' | 'id'>): Promise<void> {
    await this.remove(this.database, appId, [id]);
  }

  async sweep(): Promise<boolean> {
    const staleUploads = await this.database.rows<{ appId: number; id: number }>(FIND_STALE_UPLOADS, [
      staleReceiptsBefore(this.clock.now()),
    ]);
    for (const appId of new Set(staleUploads.map((upload) => upload.appId))) {
      const ids = staleUploads.filter((upload) => upload.appId === appId).map(({ id }) => id);
      await this.database.transaction((transaction) => this.remove(transaction, appId, ids));
    }
    return staleUploads.length === SWEPT_AT_ONCE;
  }

  private async remove(sql: Sql, appId: number, ids: readonly number[]): Promise<void> {
    const removedBlobs = await sql.rows<Blobs>(END_UPLOADS, [appId, ids]);
    await addTidying(sql, { appId, blobs: blobKeysOf(removedBlobs), keys: [] });
  }
}
