import { isAcrossApps, limitToApps, LivingApps } from './living-apps.js';

const TABLES = new Set(['payments', 'cards']);
const APPS = `where app_id = any('{3,5}'::bigint[])`;

describe('limitToApps', () => {
  it.each([
    [
      'a table without an alias',
      'select id from payments where paid',
      `select id from (select * from payments ${APPS}) as payments where paid`,
    ],
    ['a table with an alias', 'select 1 from payments p', `select 1 from (select * from payments ${APPS}) p`],
    ['a table with AS', 'select 1 from payments as p', `select 1 from (select * from payments ${APPS}) as p`],
    [
      'joined tables and subqueries',
      'select 1 from apps a join cards c on c.app_id = a.id where exists (select from payments)',
      `select 1 from apps a join (select * from cards ${APPS}) c on c.app_id = a.id where exists (select from (select * from payments ${APPS}) as payments)`,
    ],
    [
      'a list of tables',
      'select 1 from cards c, lateral (select id from payments) p',
      `select 1 from (select * from cards ${APPS}) c, lateral (select id from (select * from payments ${APPS}) as payments) p`,
    ],
  ])('limits %s', (_, text, limited) => {
    expect(limitToApps(text, TABLES, [3, 5])).toBe(limited);
  });

  it('leaves other tables, columns and strings', () => {
    const text = `select payments, extract(epoch from p.at) from apps where name = 'from payments' -- from cards`;
    expect(limitToApps(text, TABLES, [3])).toBe(text);
  });

  it('leaves no rows when all nodes are down', () => {
    expect(limitToApps('select 1 from cards', TABLES, [])).toContain(`any('{}'::bigint[])`);
  });
});

describe('LivingApps', () => {
  const NODE_LOST = Object.assign(new Error('connection to the remote node failed'), {
    code: '08006',
    severity: 'ERROR',
  });
  const DUE = '/* across apps: due cards */ select id from cards';
  const LIMITED = `/* across apps: due cards */ select id from (select * from cards where app_id = any('{3}'::bigint[])) as cards`;
  let queries: string[];
  let apps: LivingApps;

  beforeEach(() => {
    queries = [];
    apps = new LivingApps((text) => {
      queries.push(text);
      if (text.includes('from apps')) return Promise.resolve([{ id: 3 }, { id: 4 }]);
      return Promise.resolve(text.includes('logicalrelid') ? [{ name: 'cards' }] : [{ ids: ['3'] }]);
    }, 'cards');
  });

  const send = (text: string, failure?: Error) =>
    apps.send(
      text,
      () => (failure ? Promise.reject(failure) : Promise.resolve({ rows: ['whole'] })),
      (limited) => Promise.resolve({ rows: limited.includes('lost') ? [] : [limited] }),
    );

  it('sends a statement as it is while all nodes are up', async () => {
    expect([await send(DUE), queries]).toEqual([{ rows: ['whole'] }, []]);
  });

  it('limits a statement when a node is lost', async () => {
    expect(await send(DUE, NODE_LOST)).toEqual({ rows: [LIMITED] });
  });

  it('limits the statements after it at once, and asks for the apps once', async () => {
    await send(DUE, NODE_LOST);
    const limited = { rows: [LIMITED] };
    expect([await send(DUE), await send(DUE), queries.length]).toEqual([limited, limited, 3]);
  });

  it('fails when a statement needs all apps and finds nothing on reachable nodes', async () => {
    const lostCard = `/* across apps or fail: cards */ select 'lost' from cards`;
    await expect(send(lostCard, NODE_LOST)).rejects.toBe(NODE_LOST);
    await expect(send(lostCard)).rejects.toBe(NODE_LOST);
    expect(await send(lostCard.replace(' or fail', ''))).toEqual({ rows: [] });
    expect(await send(lostCard.replace(`'lost'`, 'id'))).toEqual({ rows: [expect.stringContaining('any(')] });
  });

  it('passes on other errors', async () => {
    const error = Object.assign(new Error('syntax error'), { code: '42601' });
    await expect(send(DUE, error)).rejects.toBe(error);
  });
});

describe('isAcrossApps', () => {
  it.each([
    ['/* across apps: due refunds */ select 1', true],
    ['select 1 from payments where app_id = $1', false],
  ])('of %s is %s', (text, expected) => {
    expect(isAcrossApps(text)).toBe(expected);
  });
});
