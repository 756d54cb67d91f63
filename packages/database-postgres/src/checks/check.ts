import type { MediaStore } from '@back-office/media';
import type { Connection } from '../data-source.js';
import { inSnapshot, type Read } from '../snapshot.js';
import { findings, type Invariant, INVARIANTS, LIBRARY_CONTENTS, STILL_REFERENCED } from './invariants.js';

/** Breaches of a rule: their number and some examples. */
export interface Finding {
  readonly name: string;
  readonly breaches: number;
  readonly examples: readonly string[];
}

interface Breach {
  readonly appId: number;
  readonly breach: string;
  readonly total: number;
}

interface Content {
  readonly appId: number;
  readonly content: string;
  readonly size: number | null;
}

const MAX_EXAMPLES = 5;
const READ_AT_ONCE = 16;
const BLOBS = '_blobs/';
/** Younger blobs may belong to a running upload. */
const MIN_ORPHAN_AGE_MS = 24 * 3_600_000;
const CONTENTS = 'Every content of a file is in the store with its recorded size';
const ORPHANS = 'No unrecorded content is in the store for over a day';

/** Rules of the store, checked after the database. */
export const STORE_RULES: readonly string[] = [CONTENTS, ORPHANS];

/** Checks every rule without writing: the database in one snapshot, then the store. */
export async function check(connection: Connection, store: MediaStore, now: Date): Promise<Finding[]> {
  const { rules, contents } = await inSnapshot(connection, async (read) => {
    const found: Finding[] = [];
    for (const invariant of INVARIANTS) found.push(await finding(read, invariant, now));
    return { rules: found, contents: await read<Content>(LIBRARY_CONTENTS) };
  });
  return [...rules, ...(await checkStore(connection, store, contents, now))];
}

async function finding(read: Read, { name, sql, isTimed }: Invariant, now: Date): Promise<Finding> {
  const rows = await read<Breach>(findings(sql, MAX_EXAMPLES), isTimed ? [now] : []);
  return { name, breaches: rows[0]?.total ?? 0, examples: rows.map(({ appId, breach }) => `app ${appId}: ${breach}`) };
}

async function checkStore(
  connection: Connection,
  store: MediaStore,
  contents: readonly Content[],
  now: Date,
): Promise<Finding[]> {
  const known = new Map(contents.map((each) => [each.content, each]));
  const prefixes = new Set(contents.map(({ content }) => prefixOf(content)));
  const stored = new Map<string, number>();
  const orphans: string[] = [];
  for await (const { key, size, writtenAt } of store.list(BLOBS)) {
    stored.set(key, size);
    // A store may be shared: unknown prefixes belong to other installations.
    const isOld = now.getTime() - writtenAt.getTime() > MIN_ORPHAN_AGE_MS;
    if (isOld && !known.has(key) && prefixes.has(prefixOf(key))) orphans.push(key);
  }
  const mismatched = contents.filter(
    ({ content, size }) => stored.get(content) !== (size ?? stored.get(content) ?? -1),
  );
  const broken = await stillBroken(connection, store, mismatched);
  return [
    { name: CONTENTS, breaches: broken.length, examples: broken.slice(0, MAX_EXAMPLES) },
    { name: ORPHANS, breaches: orphans.length, examples: orphans.slice(0, MAX_EXAMPLES) },
  ];
}

/** Checks again, since files may have been replaced or purged since the snapshot. */
async function stillBroken(connection: Connection, store: MediaStore, contents: readonly Content[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const names = contents.map(({ content }) => content);
  const rows = await inSnapshot(connection, (read) => read<Content>(STILL_REFERENCED, [names]));
  const broken: string[] = [];
  for (let first = 0; first < rows.length; first += READ_AT_ONCE) {
    const read = await Promise.all(rows.slice(first, first + READ_AT_ONCE).map((each) => breachOf(store, each)));
    broken.push(...read.filter((breach) => breach !== undefined));
  }
  return broken;
}

async function breachOf(store: MediaStore, { appId, content, size }: Content): Promise<string | undefined> {
  const found = await store.read(content, { first: 0, last: 0 });
  if (found) for await (const _ of found.bytes);
  if (found !== undefined && (size === null || found.size === size)) return undefined;
  return `app ${appId}: ${content}, ${found === undefined ? 'gone' : `${found.size} bytes, not ${size}`}`;
}

function prefixOf(content: string): string {
  return content.slice(BLOBS.length).split('/')[0] ?? '';
}
