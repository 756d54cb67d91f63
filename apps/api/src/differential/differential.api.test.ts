import type { DatabaseOpener } from '@back-office/database';
import { openDatabase } from '@back-office/database-memory';
import { testDatabase } from '@back-office/database-postgres/testing';
import type { RawCall, RawReply } from '../testing/raw-http.js';
import { explore, minimize, describeFailure, type Pair, type Report } from './differential.js';
import { openPostgres } from './postgres-side.js';
import { sideOn, type Side } from './side.js';
import { shown } from './steps.js';

const CALLS = 2_500;
const CALLS_OF_WRONG_SIDES = 1_500;
const SEED = 4;

function postgres(): DatabaseOpener {
  return async (options) => {
    const own = await testDatabase();
    const { database, close } = await openPostgres(own.url)(options);
    return { database, close: () => close().then(own.drop) };
  };
}

let pair: Pair;

beforeAll(async () => {
  pair = { left: await sideOn(postgres())({}), right: await sideOn(openDatabase)({}) };
}, 60_000);
afterAll(() => Promise.all([pair.left.close(), pair.right.close()]));

async function complaintOf(report: Report): Promise<string> {
  if (report.finding === undefined) return '';
  const minimal = await minimize(pair, report);
  return describeFailure(minimal ?? { steps: report.steps.slice(-5), finding: report.finding }, report.seed, CALLS);
}

describe('two services that differ in their database', () => {
  let report: Report;

  beforeAll(async () => {
    report = await explore(pair, { calls: CALLS, seed: SEED });
  }, 300_000);

  it('answer every call alike', async () => {
    expect(await complaintOf(report)).toBe('');
  }, 300_000);

  it('are asked every route with success', () => {
    expect(report.coverage.unreached()).toEqual([]);
  });
});

describe('a seed', () => {
  it('makes the same steps on sides with other ids', async () => {
    const one = await explore(pair, { calls: 300, seed: 7 });
    const other = await explore({ left: pair.right, right: pair.left }, { calls: 300, seed: 7 });
    expect(other.steps.map(shown)).toEqual(one.steps.map(shown));
  }, 60_000);
});

// eslint-disable-next-line typescript/no-explicit-any
type Change = (body: any, call: RawCall, status: number) => unknown;

/** The side with some of its answers made wrong. */
function wrong(
  side: Side,
  change: Change,
  status: (reply: RawReply, call: RawCall) => number = (reply) => reply.status,
): Side {
  const call = async (sent: RawCall): Promise<RawReply> => {
    const reply = await side.call(sent);
    if (!reply.text.startsWith('{')) return { ...reply, status: status(reply, sent) };
    const body = JSON.parse(reply.text) as unknown;
    return { ...reply, status: status(reply, sent), text: JSON.stringify(change(body, sent, reply.status) ?? body) };
  };
  return { ...side, call };
}

const isList = ({ method, path }: RawCall, list: string): boolean =>
  method === 'GET' && new RegExp(`^/api/v2/${list}(\\?|$)`).test(path);

describe('a side that', () => {
  // Which databases are compared is all the same here, and those in memory are quick to shrink on.
  let other: Side;

  beforeAll(async () => {
    other = await sideOn(openDatabase)({});
  });
  afterAll(() => other.close());

  it.each<[what: string, spoil: (side: Side) => Side, maxSteps: number]>([
    [
      'cuts a list of customers by one',
      (side) =>
        wrong(side, (body, call) => {
          if (isList(call, 'customers') && body.data?.length > 1) body.data.pop();
        }),
      4,
    ],
    [
      'swaps two vouchers',
      (side) =>
        wrong(side, (body, call) => {
          if (isList(call, 'vouchers') && body.data?.length > 1) body.data.unshift(body.data.pop());
        }),
      4,
    ],
    [
      'counts one file too many',
      (side) =>
        wrong(side, (body, call) => {
          if (isList(call, 'cdn/files') && body.data?.total_count > 0) body.data.total_count += 1;
        }),
      4,
    ],
    [
      'answers 404 in place of 422',
      (side) =>
        wrong(
          side,
          () => undefined,
          ({ status }, { path }) => (status === 422 && path.includes('/proforma_orders') ? 404 : status),
        ),
      8,
    ],
  ])(
    '%s is found, and shrunk to a few steps',
    async (_, spoil, maxSteps) => {
      const sides = { left: pair.right, right: spoil(other) };
      const report = await explore(sides, { calls: CALLS_OF_WRONG_SIDES, seed: 3 });
      expect(report.finding).toBeDefined();
      const minimal = await minimize(sides, report);
      expect(minimal?.steps.length).toBeLessThanOrEqual(maxSteps);
    },
    120_000,
  );
});
