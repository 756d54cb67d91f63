export interface MinimumVersion {
  readonly name: string;
  /** First version without the `problem`. */
  readonly version: string;
  readonly problem: string;
  /** Why tests may use an older copy. */
  readonly testsMayBeOlder?: string;
}

/**
 * Date of the last comparison with published advisories, which the test suite cannot reach. Review the list before
 * every release.
 */
export const REVIEWED_ON = '2026-11-21';

/** Packages that had a vulnerability or data loss in code that this service uses. */
export const MINIMUM_VERSIONS: readonly MinimumVersion[] = [
  {
    name: 'multer',
    version: '2.3.0',
    problem:
      'CVE-2025-47935, CVE-2025-47944, CVE-2025-48997, CVE-2025-7338, CVE-2026-2359, CVE-2026-3304, CVE-2026-5038, ' +
      'CVE-2026-5079, CVE-2026-77037, CVE-2026-77063, CVE-2026-77078, CVE-2026-82333: a form ends the process or leaks',
  },
  {
    name: 'busboy',
    version: '1.0.0',
    problem: 'CVE-2022-24434: the head of a part ends the process, through dicer',
    testsMayBeOlder: 's3rver, the bucket of the tests, reads only their forms',
  },
  {
    name: 'qs',
    version: '6.16.0',
    problem: 'CVE-2026-82417, CVE-2026-82562, CVE-2026-2391: lists exceed their limits',
    testsMayBeOlder: 'newman, which sends a collection in a test, uses it only for its own requests',
  },
  { name: 'body-parser', version: '2.3.0', problem: 'CVE-2026-12590: an invalid limit is ignored' },
  { name: 'validator', version: '13.15.22', problem: 'isURL (13.15.20) and isLength (13.15.22) can be bypassed' },
  { name: 'class-validator', version: '0.14.0', problem: 'CVE-2019-18413: unknown values pass' },
  { name: 'class-transformer', version: '0.3.1', problem: 'CVE-2020-7637: prototype pollution' },
  {
    name: 'typeorm',
    version: '1.1.1',
    problem: 'typeorm/typeorm#12690: null in a condition of an update or delete matched every row',
  },
  {
    name: 'inversify',
    version: '8.2.3',
    problem: 'inversify/InversifyJS#1810: child containers leaked before this version',
  },
  {
    name: 'path-to-regexp',
    version: '8.4.0',
    problem: 'CVE-2026-4926: matching a pattern may never end',
    testsMayBeOlder: 'koa routes the bucket of the tests with fixed patterns',
  },
  { name: 'morgan', version: '1.12.0', problem: 'unused; a later dependency must not bring an older version' },
];
