import type { Clock } from '@back-office/kernel';
import type {
  MediaPorts,
  FolderPath,
  JobAttempt,
  JobQueue,
  MediaApp,
  NewFile,
  Receipt,
  ReceivedContent,
  StoredFile,
} from '../index.js';

export interface GivenMediaLibrary {
  readonly ports: MediaPorts;
  readonly queue: JobQueue;
  /** The clock of the ports. */
  readonly clock: Clock & { forward(by: { readonly hours: number }): void };
  /** Base of public URLs. */
  readonly base: string;
  /** Whether the store serves files itself; initially false. */
  setPublished(isPublished: boolean): void;
  /** Creates an app with its default preset. */
  makeApp(settings?: { readonly autoHideUnusedDays?: number }): Promise<MediaApp>;
  /** Waits until the queue's clock has advanced by this much. */
  waitForQueue(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** A job as its task received it. */
export interface RunJob extends JobAttempt {
  readonly name: string;
  readonly payload: unknown;
}

export const MISSING_ID = 999_999_999;
export const HOURS_PER_DAY = 24;
export const TERMS = { retentionDays: 30, isPurged: false } as const;
export const RULES = { trashRetentionDays: 30, refusesDeleteInUse: false } as const;

const NEW_FILE: NewFile = {
  name: 'a.txt',
  folder: '' as FolderPath,
  onConflict: 'error',
  presetId: undefined,
  alt: null,
  caption: null,
  description: null,
  tags: [],
  source: null,
};

// Tests know the shape of files.
// eslint-disable-next-line typescript/no-explicit-any
export type ShownFile = any;

/** Fills the library of one app through its ports. */
export class MediaFixture {
  constructor(
    private readonly given: GivenMediaLibrary,
    readonly app: MediaApp,
  ) {}

  static async of(given: GivenMediaLibrary): Promise<MediaFixture> {
    return new MediaFixture(given, await given.makeApp());
  }

  get appId(): number {
    return this.app.id;
  }

  /** Content of a receipt, by default a text of 5 bytes. */
  async received(content: Partial<ReceivedContent> = {}): Promise<ReceivedContent> {
    const receipt: Receipt = await this.given.ports.uploadReceipts.begin(this.app, content.kind === 'image');
    const text = { mime: 'text/plain', kind: 'doc', size: undefined, bytes: 5, checksum: new Uint8Array(32) } as const;
    return { ...text, receipt, ...content };
  }

  async store(file: Partial<NewFile> = {}, content: Partial<ReceivedContent> = {}) {
    return this.given.ports.mediaFiles.store(this.app, await this.received(content), { ...NEW_FILE, ...file });
  }

  /** As {@link store}; throws when the file is refused. */
  async file(name: string, file: Partial<NewFile> = {}, content: Partial<ReceivedContent> = {}): Promise<StoredFile> {
    const stored = await this.store({ name, ...file }, content);
    if ('refused' in stored) throw new Error(`${name} was refused: ${stored.refused}`);
    return stored;
  }

  image(name: string, file: Partial<NewFile> = {}): Promise<StoredFile> {
    return this.file(name, file, {
      mime: 'image/jpeg',
      kind: 'image',
      size: { width: 800, height: 600 },
      bytes: 1_000,
    });
  }

  async shown(id: number): Promise<ShownFile> {
    const text = await this.given.ports.mediaFileQueries.find(this.appId, id);
    return text && JSON.parse(text);
  }

  trash(...files: readonly StoredFile[]) {
    const keys = files.map(({ key }) => key);
    return this.given.ports.mediaTrash.delete(this.appId, keys, RULES);
  }

  /** Records that a page shows the file. */
  use({ key }: Pick<StoredFile, 'key'>, page = '1') {
    const fields = [{ field: 'image', url: this.url(key) }];
    return this.given.ports.fileUsages.replace(this.app, { entity_type: 'page', entity_id: page, fields });
  }

  url(key: string): string {
    return `${this.given.base}/${key}`;
  }

  /** File names of a folder in the order of the list. */
  async names(folder = ''): Promise<string[]> {
    const filter = { ...ANY_FILE, folder: folder as FolderPath };
    const page = { offset: 0, limit: 1_000 };
    const text = await this.given.ports.mediaFileQueries.list(this.appId, filter, undefined, page);
    return JSON.parse(text).files.map(({ filename }: { filename: string }) => filename);
  }

  async folders(path = ''): Promise<string[]> {
    const branch = await this.given.ports.mediaFolderQueries.branch(this.appId, path as FolderPath);
    return branch.map((folder) => folder.path);
  }

  /** Runs the due jobs of these names, and returns those of this app. */
  async jobs(...names: readonly string[]): Promise<RunJob[]> {
    const seen: RunJob[] = [];
    const task = (name: string) =>
      [
        name,
        async (payload: unknown, attempt: JobAttempt) => {
          if ((payload as { appId?: number }).appId === this.appId) seen.push({ name, payload, ...attempt });
        },
      ] as const;
    await this.given.queue.worker(Object.fromEntries(names.map(task)), () => {}).drain();
    return seen;
  }

  async payloads(name: string): Promise<ShownFile[]> {
    return (await this.jobs(name)).map(({ payload }) => payload);
  }
}

export const ANY_FILE = {
  folder: undefined,
  search: undefined,
  kind: undefined,
  unusedBefore: undefined,
  noAlt: false,
  minSize: undefined,
  since: undefined,
  hidden: 'included',
} as const;

export function pathOf(text: string): FolderPath {
  return text as FolderPath;
}
