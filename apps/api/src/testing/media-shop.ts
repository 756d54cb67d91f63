import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { TOKENS } from '../tokens.js';
import type { Client, Reply, TestApi } from './test-api.js';

type Fields = Readonly<Record<string, string | readonly string[]>>;
// eslint-disable-next-line typescript/no-explicit-any
type CdnFile = any;

export class MediaShop {
  constructor(
    private readonly api: TestApi,
    readonly client: Client,
  ) {}

  text(name: string, fields: Fields = {}, content = `words of ${name}`): Promise<CdnFile> {
    return this.upload(name, Buffer.from(content), fields);
  }

  async jpeg(name: string, fields: Fields = {}, width = 64, height = 48): Promise<CdnFile> {
    return this.upload(name, await sharpSampleImages.still('image/jpeg', width, height), fields);
  }

  async upload(name: string, bytes: Uint8Array, fields: Fields = {}): Promise<CdnFile> {
    const { status, body } = await this.client.upload('/cdn/files', { name, bytes }, fields);
    if (status !== 201) throw new Error(`${name} was refused: ${status} ${JSON.stringify(body)}`);
    return body.data;
  }

  async file(id: number): Promise<CdnFile> {
    return (await this.client.get(`/cdn/files/${id}`)).body.data;
  }

  replace(id: number, bytes: Uint8Array | string, strategy = 'version'): Promise<Reply> {
    const file = { name: 'new', bytes: Buffer.from(bytes) };
    return this.client.upload(`/cdn/files/${id}/replace`, file, { cache_strategy: strategy });
  }

  revert(id: number, body: object = {}): Promise<Reply> {
    return this.client.post(`/cdn/files/${id}/revert`, { cache_strategy: 'version', ...body });
  }

  trash(file: { readonly key: string }): Promise<Reply> {
    return this.client.delete(`/cdn?file=${encodeURIComponent(file.key)}`);
  }

  /** Returns the file names in the list of files for this query. */
  async names(query = ''): Promise<string[]> {
    const { body } = await this.client.get(`/cdn/files?${query}`);
    return body.data.files.map(({ filename }: { filename: string }) => filename);
  }

  async trashedNames(query = ''): Promise<string[]> {
    const { body } = await this.client.get(`/cdn/trash?${query}`);
    return body.data.files.map(({ filename }: { filename: string }) => filename);
  }

  /** Requests the path of a public URL from this service, whatever host the URL has. */
  fetch(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> {
    const { pathname, search } = new URL(url);
    return fetch(this.api.origin + pathname + search, { headers, method });
  }

  async bytes(url: string): Promise<Buffer> {
    return Buffer.from(await (await this.fetch(url)).arrayBuffer());
  }

  /** Makes the jobs of a file with this purpose due after the interval. */
  async reschedule(id: number, purpose: 'content' | 'reverted' | 'renditions', interval: string): Promise<void> {
    const key = `${purpose}:${this.client.appId}:${id}`;
    const isLocked = 'select from graphile_worker.jobs where key = $1 and locked_at is not null';
    // A worker may still be storing the result of the last job.
    while ((await this.api.database.rows(isLocked, [key])).length > 0);
    await this.api.database.rows(
      `select graphile_worker.reschedule_jobs(array_agg(id), run_at => now() + $2::interval)
       from graphile_worker.jobs where key = $1`,
      [key, interval],
    );
  }

  /** Records that a page uses the file. */
  async recordUsage(file: { readonly key: string; readonly url: string }): Promise<void> {
    await this.api.database.rows(
      `insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
       values ($1, $2, 'page', '1', 'image', $3, now())`,
      [this.client.appId, file.key, file.url],
    );
  }

  /** Returns the public keys and blob keys of this app in the store. */
  async storedKeys(): Promise<string[]> {
    const settings = await this.client.get('/app/settings');
    const { prefix } = settings.body.data.media;
    const keys: string[] = [];
    for (const keyPrefix of [`${prefix}/`, `_blobs/${prefix}/`]) {
      for await (const { key } of this.api.container.get(TOKENS.Library).library.store.list(keyPrefix)) keys.push(key);
    }
    return keys.sort();
  }
}
