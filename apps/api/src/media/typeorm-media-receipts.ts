import { addHours, type Clock } from '@back-office/kernel';
import { blobKey } from '@back-office/media';
import { randomUUID } from 'node:crypto';
import type { Database, Sql } from '../database/database.js';
import { addTidying } from './media-jobs.query.js';

/** Names of bytes in the store. */
export interface Blobs {
  readonly content: string;
  /** The raw upload, where it is kept. */
  readonly original: string | null;
}

/** The names of all these bytes. */
export function namesOfBlobs(all: readonly Blobs[]): string[] {
  return all.flatMap(({ content, original }) => (original === null ? [content] : [content, original]));
}

/** The record of a file whose bytes are on their way: should its upload die, it tells what is to be removed. */
export interface Receipt extends Blobs {
  readonly appId: number;
  readonly id: number;
}

const STALE_HOURS = 1;
const SWEPT_AT_ONCE = 500;

const BEGIN = `
  insert into cdn_files (app_id, state, content, original, last_modified, inserted_at)
  values ($1, 'receiving', $2, $3, $4, $4) returning id`;

const END = `
  delete from cdn_files where app_id = $1 and id = any($2) and state = 'receiving' returning content, original`;

// Found without locks; it is then removed inside one app at a time.
const STALE = `
  /* across apps: uploads that have died */
  select app_id as "appId", id from cdn_files
  where state = 'receiving' and inserted_at < $1 order by app_id, id limit ${SWEPT_AT_ONCE}`;

export class TypeOrmMediaReceipts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async begin(app: { readonly id: number; readonly prefix: string }, keepsOriginal: boolean): Promise<Receipt> {
    const content = blobKey(app.prefix, randomUUID());
    const original = keepsOriginal ? blobKey(app.prefix, randomUUID()) : null;
    const values = [app.id, content, original, this.clock.now()];
    const [row] = await this.database.rows<{ id: number }>(BEGIN, values);
    return { appId: app.id, id: (row as { id: number }).id, content, original };
  }

  /** Takes a receipt back; its bytes are removed in the background. A file that has become active by now stays. */
  async end({ appId, id }: Pick<Receipt, 'appId' | 'id'>): Promise<void> {
    await this.remove(this.database, appId, [id]);
  }

  /** Takes back the receipts of uploads that have died; answers whether there may be more. */
  async sweep(): Promise<boolean> {
    const stale = await this.database.rows<{ appId: number; id: number }>(STALE, [
      addHours(this.clock.now(), -STALE_HOURS),
    ]);
    for (const appId of new Set(stale.map((each) => each.appId))) {
      const ids = stale.filter((each) => each.appId === appId).map(({ id }) => id);
      await this.database.transaction((transaction) => this.remove(transaction, appId, ids));
    }
    return stale.length === SWEPT_AT_ONCE;
  }

  private async remove(sql: Sql, appId: number, ids: readonly number[]): Promise<void> {
    const removed = await sql.rows<Blobs>(END, [appId, ids]);
    await addTidying(sql, { appId, blobs: namesOfBlobs(removed), keys: [] });
  }
}
