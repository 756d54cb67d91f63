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

export interface MediaLibraryFixture {
  readonly ports: MediaPorts;
  readonly queue: JobQueue;
  readonly clock: Clock & { forward(by: { readonly hours: number }): void };
  readonly base: string;
  /** Sets whether the store serves files itself; initially false. */
  setPublished(isPublished: boolean): void;
  makeApp(settings?: { readonly autoHideUnusedDays?: number; readonly servesTrash?: boolean }): Promise<MediaApp>;
  /** Waits until the clock of the queue has advanced by this many seconds. */
  waitForQueue(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export interface ExecutedJob extends JobAttempt {
  readonly name: string;
  readonly payload: unknown;
}

export const MISSING_ID = 999_999_999;
export const HOURS_PER_DAY = 24;
export const TERMS = { retentionDays: 30, isPurged: false } as const;
export const RULES = { trashRetentionDays: 30, refusesDeleteInUse: false, servesTrash: true } as const;

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

// Tests access any field of a file.
// eslint-disable-next-line typescript/no-explicit-any
export type ShownFile = any;

export class AppLibrary {
  constructor(
    private readonly fixture: MediaLibraryFixture,
    readonly app: MediaApp,
  ) {}

  static async create(fixture: MediaLibraryFixture): Promise<AppLibrary> {
    return new AppLibrary(fixture, await fixture.makeApp());
  }

  get appId(): number {
    return this.app.id;
  }

  async upload(content: Partial<ReceivedContent> = {}): Promise<ReceivedContent> {
    const receipt: Receipt = await this.fixture.ports.uploadReceipts.begin(this.app, content.kind === 'image');
    const text = { mime: 'text/plain', kind: 'doc', size: undefined, bytes: 5, checksum: new Uint8Array(32) } as const;
    return { ...text, receipt, ...content };
  }

  async store(file: Partial<NewFile> = {}, content: Partial<ReceivedContent> = {}) {
    return this.fixture.ports.mediaFiles.store(this.app, await this.upload(content), { ...NEW_FILE, ...file });
  }

  async addFile(
    name: string,
    file: Partial<NewFile> = {},
    content: Partial<ReceivedContent> = {},
  ): Promise<StoredFile> {
    const result = await this.store({ name, ...file }, content);
    if ('refused' in result) throw new Error(`${name} was refused: ${result.refused}`);
    return result;
  }

  addImage(name: string, file: Partial<NewFile> = {}): Promise<StoredFile> {
    return this.addFile(name, file, {
      mime: 'image/jpeg',
      kind: 'image',
      size: { width: 800, height: 600 },
      bytes: 1_000,
    });
  }

  async findFile(id: number): Promise<ShownFile> {
    const text = await this.fixture.ports.mediaFileQueries.find(this.appId, id);
    return text && JSON.parse(text);
  }

  trash(...files: readonly StoredFile[]) {
    const keys = files.map(({ key }) => key);
    return this.fixture.ports.mediaTrash.delete(this.appId, keys, RULES);
  }

  addUsage({ key }: Pick<StoredFile, 'key'>, page = '1') {
    const fields = [{ field: 'image', url: this.url(key) }];
    return this.fixture.ports.fileUsages.replace(this.app, { entity_type: 'page', entity_id: page, fields });
  }

  url(key: string): string {
    return `${this.fixture.base}/${key}`;
  }

  async fileNames(folder = ''): Promise<string[]> {
    const filter = { ...ANY_FILE, folder: folder as FolderPath };
    const page = { offset: 0, limit: 1_000 };
    const { json } = await this.fixture.ports.mediaFileQueries.list(this.appId, filter, undefined, page);
    return JSON.parse(json).files.map(({ filename }: { filename: string }) => filename);
  }

  async folderPaths(path = ''): Promise<string[]> {
    const branch = await this.fixture.ports.mediaFolderQueries.branch(this.appId, path as FolderPath);
    return branch.map((folder) => folder.path).toSorted();
  }

  async keyOfVersion(fileId: number, version: number): Promise<string> {
    const text = (await this.fixture.ports.fileVersionQueries.list(this.appId, fileId)) ?? '[]';
    const versions = JSON.parse(text) as { readonly version: number; readonly url: string }[];
    return versions.find((kept) => kept.version === version)?.url.slice(this.fixture.base.length + 1) ?? '';
  }

  /** Runs the due jobs with these names, and returns those of this app. */
  async runJobs(...names: readonly string[]): Promise<ExecutedJob[]> {
    const executedJobs: ExecutedJob[] = [];
    const task = (name: string) =>
      [
        name,
        async (payload: unknown, attempt: JobAttempt) => {
          if ((payload as { appId?: number }).appId === this.appId) executedJobs.push({ name, payload, ...attempt });
        },
      ] as const;
    await this.fixture.queue.worker(Object.fromEntries(names.map(task)), () => {}).drain();
    return executedJobs;
  }

  async runJobPayloads(name: string): Promise<ShownFile[]> {
    return (await this.runJobs(name)).map(({ payload }) => payload);
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
