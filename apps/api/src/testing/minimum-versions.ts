export interface MinimumVersion {
  readonly name: string;
  /** The first version without what `because` names. */
  readonly version: string;
  readonly because: string;
  /** Why a copy that only tests use may be older. */
  readonly testsMayBeOlder?: string;
}

/**
 * When the list was last held against what the advisories say: no advisory service can be asked where the suite runs.
 * Look through it with every release, and write down when.
 */
export const REVIEWED_ON = '2026-11-21';

/** Packages that have had holes, or ways to lose data, on the paths that this service uses. */
export const MINIMUM_VERSIONS: readonly MinimumVersion[] = [
  {
    name: 'multer',
    version: '2.3.0',
    because:
      'CVE-2025-47935, CVE-2025-47944, CVE-2025-48997, CVE-2025-7338, CVE-2026-2359, CVE-2026-3304, CVE-2026-5038, ' +
      'CVE-2026-5079, CVE-2026-77037, CVE-2026-77063, CVE-2026-77078, CVE-2026-82333: a form ends the process or leaks',
  },
  {
    name: 'busboy',
    version: '1.0.0',
    because: 'CVE-2022-24434: the head of a part ends the process, through dicer',
    testsMayBeOlder: 's3rver, the bucket of the tests, reads no form of anybody but them',
  },
  {
    name: 'qs',
    version: '6.16.0',
    because: 'CVE-2026-82417, CVE-2026-82562, CVE-2026-2391: limits of lists that do not hold',
  },
  { name: 'body-parser', version: '2.3.0', because: 'CVE-2026-12590: an invalid limit is none' },
  { name: 'validator', version: '13.15.22', because: 'isURL (13.15.20) and isLength (13.15.22) can be got around' },
  { name: 'class-validator', version: '0.14.0', because: 'CVE-2019-18413: unknown values pass' },
  { name: 'class-transformer', version: '0.3.1', because: 'CVE-2020-7637: prototype pollution' },
  {
    name: 'typeorm',
    version: '1.1.1',
    because: 'typeorm/typeorm#12690: null in a condition of an update or delete met every row',
  },
  {
    name: 'inversify',
    version: '8.2.3',
    because: 'inversify/InversifyJS#1810: child containers were never let go; closed before this version',
  },
  {
    name: 'path-to-regexp',
    version: '8.4.0',
    because: 'CVE-2026-4926: a pattern that takes for ever to match',
    testsMayBeOlder: 'koa routes the bucket of the tests, with patterns that nobody else sends',
  },
  { name: 'morgan', version: '1.12.0', because: 'not in use; should it come, then no older one' },
];
