import { setTimeout as pause } from 'node:timers/promises';
import { AsyncScope } from './async-scope.js';

describe('AsyncScope', () => {
  it('has no value outside of its work', async () => {
    const scope = new AsyncScope<string>('scope');
    await scope.run('a', () => pause(1));
    expect(scope.current).toBeUndefined();
  });

  it('keeps the value of each work apart, also after a wait', async () => {
    const scope = new AsyncScope<number>('scope');
    const seen = await Promise.all(
      [1, 2, 3].map((value) =>
        scope.run(value, async () => {
          await pause(5 - value);
          return scope.current;
        }),
      ),
    );
    expect(seen).toEqual([1, 2, 3]);
  });

  it('restores the outer value after inner work', () => {
    const scope = new AsyncScope<string>('scope');
    expect(scope.run('outer', () => [scope.run('inner', () => scope.current), scope.current])).toEqual([
      'inner',
      'outer',
    ]);
  });

  it('leaves the values of other scopes, even of the same name', () => {
    const [first, second] = [new AsyncScope<string>('scope'), new AsyncScope<string>('scope')];
    const values = first.run('a', () => second.run('b', () => [first.current, second.current]));
    expect(values).toEqual(['a', 'b']);
  });
});
