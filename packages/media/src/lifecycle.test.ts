import { FILE_LIFECYCLE, FILE_STATES, stepOf, type FileAction, type FileState } from './lifecycle.js';

// Written by hand from the interface's file lifecycle, row by row.
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
  hide_unused: { receiving: 'FileNotFound', active: 'unchanged', trashed: 'unchanged' },
};
const cells = (Object.keys(GRID) as FileAction[]).flatMap((action) =>
  FILE_STATES.map((state) => [action, state, GRID[action][state]] as const),
);

describe('a file', () => {
  it.each(cells)('that meets %s while it is %s: %s', (action, state, expected) => {
    const step = stepOf(action, state);
    expect(typeof step === 'string' ? step : step.refused.split('.').at(-1)).toBe(expected);
  });

  it('has no action that the grid does not know', () => {
    expect(Object.keys(FILE_LIFECYCLE).toSorted()).toEqual(Object.keys(GRID).toSorted());
  });
});
