import { FILE_LIFECYCLE, FILE_STATES, statesBefore, stepOf, type FileAction, type FileState } from './lifecycle.js';

// Copied by hand from the specification of the file lifecycle.
const GRID: Readonly<Record<FileAction, Readonly<Record<FileState, string>>>> = {
  store: { receiving: 'active', active: 'FileNotFound', trashed: 'FileNotFound' },
  abandon: { receiving: 'removed', active: 'FileNotFound', trashed: 'FileNotFound' },
  edit: { receiving: 'FileNotFound', active: 'unchanged', trashed: 'FileNotFound' },
  move: { receiving: 'FileNotFound', active: 'unchanged', trashed: 'FileNotFound' },
  replace: { receiving: 'FileNotFound', active: 'active', trashed: 'FileInTrash' },
  revert: { receiving: 'FileNotFound', active: 'active', trashed: 'FileInTrash' },
  delete: { receiving: 'FileNotFound', active: 'trashed', trashed: 'unchanged' },
  restore: { receiving: 'FileNotFound', active: 'unchanged', trashed: 'active' },
  purge: { receiving: 'FileNotFound', active: 'FileNotInTrash', trashed: 'removed' },
  expire: { receiving: 'FileNotFound', active: 'unchanged', trashed: 'removed' },
};
const cells = (Object.keys(GRID) as FileAction[]).flatMap((action) =>
  FILE_STATES.map((state) => [action, state, GRID[action][state]] as const),
);

describe('the lifecycle of files', () => {
  it.each(cells)('allows or refuses %s of a %s file: %s', (action, state, expected) => {
    const step = stepOf(action, state);
    expect(typeof step === 'string' ? step : step.refused.split('.').at(-1)).toBe(expected);
  });

  it.each([
    ['store', 'active', ['receiving']],
    ['replace', 'active', ['active']],
    ['expire', 'removed', ['trashed']],
    ['edit', 'trashed', []],
  ] as const)('%s leads to %s from %j', (action, step, expected) => {
    expect(statesBefore(action, step)).toEqual(expected);
  });

  it('has exactly the actions of the transition table', () => {
    expect(Object.keys(FILE_LIFECYCLE).toSorted()).toEqual(Object.keys(GRID).toSorted());
  });
});
