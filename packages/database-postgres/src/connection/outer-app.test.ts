import { forCluster, outerApp } from './outer-app.js';

describe('forCluster', () => {
  it('replaces the apps of outer rows by the app of the statement', () => {
    const text = `select (select 1 from items i where i.app_id = ${outerApp('o')} and i.id = o.id) from orders o`;
    expect(forCluster(text)).toBe('select (select 1 from items i where i.app_id = $1 and i.id = o.id) from orders o');
  });

  it('changes no other statement', () => {
    const text = 'select 1 from orders o join items i on i.app_id = o.app_id where o.app_id = $1';
    expect(forCluster(text)).toBe(text);
  });
});
