import type { MediaStore } from '@back-office/media';
import type { ConnectionTarget } from '../connection/data-source.js';
import { inSnapshot, type Read } from './snapshot.js';
import type { Invariant } from './invariant.js';
import { breachesSql, INVARIANTS, LIBRARY_CONTENTS, STILL_REFERENCED } from './invariants.js';

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
const MIN_ORPHAN_AGE_MS = 24 * 3_600_000;
const CONTENTS_RULE = 'Every content of a file is in the store with its recorded size';
const ORPHANS_RULE = 'No unrecorded content is in the store for over a day';

export const STORE_RULES: readonly string[] = [CONTENTS_RULE, ORPHANS_RULE];

/** Returns the breaches of the rules for stored records and for the content of the media store. */
export async function check(connection: ConnectionTarget, store: MediaStore, now: Date): Promise<Finding[]> {
  const { rules, contents } = await inSnapshot(connection, async (read) => {
    const findings: Finding[] = [];
    for (const invariant of INVARIANTS) findings.push(await checkInvariant(read, invariant, now));
    return { rules: findings, contents: await read<Content>(LIBRARY_CONTENTS) };
  });
  return [...rules, ...(await checkStore(connection, store, contents, now))];
}

async function checkInvariant(read: Read, { name, sql, isTimed }: Invariant, now: Date): Promise<Finding> {
  const rows = await read<Breach>(breachesSql(sql, MAX_EXAMPLES), isTimed ? [now] : []);
  return { name, breaches: rows[0]?.total ?? 0, examples: rows.map(({ appId, breach }) => `app ${appId}: ${breach}`) };
}

async function checkStore(
  connection: ConnectionTarget,
  store: MediaStore,
  contents: readonly Content[],
  now: Date,
): Promise<Finding[]> {
  const contentsByKey = new Map(contents.map((content) => [content.content, content]));
  const prefixes = new Set(contents.map(({ content }) => prefixOf(content)));
  const storedSizes = new Map<string, number>();
  const orphans: string[] = [];
  for await (const { key, size, writtenAt } of store.list(BLOBS)) {
    storedSizes.set(key, size);
    // Content without a record is an orphan if it is old and has a known prefix. Content with another prefix may belong
    // to another installation that shares the store.
    const isOld = now.getTime() - writtenAt.getTime() > MIN_ORPHAN_AGE_MS;
    if (isOld && !contentsByKey.has(key) && prefixes.has(prefixOf(key))) orphans.push(key);
  }
  const mismatchedContents = contents.filter(
    ({ content, size }) => storedSizes.get(content) !== (size ?? storedSizes.get(content) ?? -1),
  );
  const breaches = await findRemainingBreaches(connection, store, mismatchedContents);
  return [
    { name: CONTENTS_RULE, breaches: breaches.length, examples: breaches.slice(0, MAX_EXAMPLES) },
    { name: ORPHANS_RULE, breaches: orphans.length, examples: orphans.slice(0, MAX_EXAMPLES) },
  ];
}

/** Checks the mismatched contents again, because their files may have been replaced or purged since the snapshot. */
async function findRemainingBreaches(
  connection: ConnectionTarget,
  store: MediaStore,
  contents: readonly Content[],
): Promise<string[]> {
  if (contents.length === 0) return [];
  const contentKeys = contents.map(({ content }) => content);
  const rows = await inSnapshot(connection, (read) => read<Content>(STILL_REFERENCED, [contentKeys]));
  const breaches: string[] = [];
  for (let start = 0; start < rows.length; start += READ_AT_ONCE) {
    const chunk = await Promise.all(rows.slice(start, start + READ_AT_ONCE).map((content) => breachOf(store, content)));
    breaches.push(...chunk.filter((breach) => breach !== undefined));
  }
  return breaches;
}

async function breachOf(store: MediaStore, { appId, content, size }: Content): Promise<string | undefined> {
  const storedContent = await store.read(content, { first: 0, last: 0 });
  if (storedContent) for await (const _ of storedContent.bytes);
  if (storedContent !== undefined && (size === null || storedContent.size === size)) return undefined;
  return `app ${appId}: ${content}, ${storedContent === undefined ? 'gone' : `${storedContent.size} bytes, not ${size}`}`;
}

function prefixOf(content: string): string {
  return content.slice(BLOBS.length).split('/')[0] ?? '';
}
