import type { DatabaseOpener } from '@back-office/database';
import { openDatabase } from '@back-office/database-memory';
import { makeTestDatabase } from '@back-office/database-postgres/testing';
import type { RawCall, RawReply } from '../../apps/api/src/testing/raw-http.js';
import { explore, minimize, describeFailure, type Pair, type Report } from './differential.js';
import { openPostgres } from './postgres-side.js';
import { sideOn, type Side } from './side.js';
import { formatStep } from './steps.js';

/** Each seed runs in a new app, because a call takes longer the more records its app has. */
const SEEDS = [6, 7, 8, 9];
const CALLS_PER_SEED = 5_000;
const FAULTY_SIDE_CALL_COUNT = 1_500;

function postgres(): DatabaseOpener {
  return async (options) => {
    const testServer = await makeTestDatabase();
    const { database, close } = await openPostgres(testServer.url)(options);
    return { database, close: () => close().then(testServer.drop) };
  };
}

let pair: Pair;

beforeAll(async () => {
  pair = { left: await sideOn(postgres())({}), right: await sideOn(openDatabase)({}) };
}, 60_000);
afterAll(() => Promise.all([pair.left.close(), pair.right.close()]));

async function describeReport(report: Report): Promise<string> {
  if (report.finding === undefined) return '';
  const minimal = await minimize(pair, report);
  return describeFailure(
    minimal ?? { steps: report.steps.slice(-5), finding: report.finding },
    report.seed,
    CALLS_PER_SEED,
  );
}

describe('two services that differ in their database', () => {
  const reports: Report[] = [];

  beforeAll(async () => {
    for (const seed of SEEDS) reports.push(await explore(pair, { calls: CALLS_PER_SEED, seed }));
  }, 600_000);

  it('answer every call identically', async () => {
    for (const report of reports) expect(await describeReport(report)).toBe('');
  }, 300_000);

  it('answer every route with a 2xx status at least once', () => {
    const [firstRoutes = [], ...otherRoutes] = reports.map(({ coverage }) => coverage.routesWithoutSuccess());
    expect(firstRoutes.filter((route) => otherRoutes.every((routes) => routes.includes(route)))).toEqual([]);
  });
});

describe('a seed', () => {
  it('generates the same steps, whatever ids the two services use', async () => {
    const original = await explore(pair, { calls: 300, seed: 7 });
    const swapped = await explore({ left: pair.right, right: pair.left }, { calls: 300, seed: 7 });
    expect(swapped.steps.map(formatStep)).toEqual(original.steps.map(formatStep));
  }, 60_000);
});

// eslint-disable-next-line typescript/no-explicit-any
type ChangeBody = (body: any, call: RawCall, status: number) => unknown;

function withFaults(
  side: Side,
  changeBody: ChangeBody,
  statusOf: (reply: RawReply, call: RawCall) => number = (reply) => reply.status,
): Side {
  const call = async (request: RawCall): Promise<RawReply> => {
    const reply = await side.call(request);
    if (!reply.text.startsWith('{')) return { ...reply, status: statusOf(reply, request) };
    const body = JSON.parse(reply.text) as unknown;
    return {
      ...reply,
      status: statusOf(reply, request),
      text: JSON.stringify(changeBody(body, request, reply.status) ?? body),
    };
  };
  return { ...side, call };
}

const isListRequest = ({ method, path }: RawCall, list: string): boolean =>
  method === 'GET' && new RegExp(`^/api/v2/${list}(\\?|$)`).test(path);

describe('a faulty side', () => {
  // Both sides run in memory, because shrinking a failing sequence repeats its calls many times.
  let leftSide: Side;
  let rightSide: Side;

  beforeAll(async () => {
    // A new side has the same clock and ids in every run, so a replay can reproduce a finding.
    leftSide = await sideOn(openDatabase)({});
    rightSide = await sideOn(openDatabase)({});
  });
  afterAll(() => Promise.all([leftSide.close(), rightSide.close()]));

  it.each<[what: string, spoil: (side: Side) => Side, maxSteps: number]>([
    [
      'that drops the last customer of a list',
      (side) =>
        withFaults(side, (body, call) => {
          if (isListRequest(call, 'customers') && body.data?.length > 1) body.data.pop();
        }),
      // With fewer steps, the list would have only one customer, and a page with an offset would be empty.
      8,
    ],
    [
      'that swaps two vouchers',
      (side) =>
        withFaults(side, (body, call) => {
          if (isListRequest(call, 'vouchers') && body.data?.length > 1) body.data.unshift(body.data.pop());
        }),
      4,
    ],
    [
      'that counts one file too many',
      (side) =>
        withFaults(side, (body, call) => {
          if (isListRequest(call, 'cdn/files') && body.data?.total_count > 0) body.data.total_count += 1;
        }),
      4,
    ],
    [
      'that answers 404 instead of 422',
      (side) =>
        withFaults(
          side,
          () => undefined,
          ({ status }, { path }) => (status === 422 && path.includes('/proforma_orders') ? 404 : status),
        ),
      8,
    ],
  ])(
    '%s is found, with a few steps that show the difference',
    async (_, addFault, maxSteps) => {
      const sides = { left: leftSide, right: addFault(rightSide) };
      const report = await explore(sides, { calls: FAULTY_SIDE_CALL_COUNT, seed: 3 });
      expect(report.finding).toBeDefined();
      const minimal = await minimize(sides, report);
      expect(minimal?.steps.length).toBeLessThanOrEqual(maxSteps);
    },
    120_000,
  );
});
