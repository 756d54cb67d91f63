import type { Refusal } from '@back-office/kernel';
import { FILE_IN_TRASH, FILE_NOT_FOUND, FILE_NOT_IN_TRASH } from './refusals.js';

/** `receiving`: its bytes are on their way, nobody sees it yet. A file that was purged is gone, and has no state. */
export const FILE_STATES = ['receiving', 'active', 'trashed'] as const;
export type FileState = (typeof FILE_STATES)[number];

export type FileAction =
  | 'store'
  | 'abandon'
  | 'edit'
  | 'move'
  | 'replace'
  | 'revert'
  | 'delete'
  | 'restore'
  | 'purge'
  | 'expire'
  | 'hide_unused';

/** Where an action leads: a state, `unchanged` (done already), `removed`, or the refusal. */
export type FileStep = FileState | 'unchanged' | 'removed' | Refusal;

/** A file that is still being received does not exist for anybody but its upload. */
const hidden = { receiving: FILE_NOT_FOUND } as const;

/** Every move that a file can make, and what is said to every other. */
export const FILE_LIFECYCLE: Readonly<Record<FileAction, Readonly<Record<FileState, FileStep>>>> = {
  store: { receiving: 'active', active: FILE_NOT_FOUND, trashed: FILE_NOT_FOUND },
  abandon: { receiving: 'removed', active: FILE_NOT_FOUND, trashed: FILE_NOT_FOUND },
  edit: { ...hidden, active: 'unchanged', trashed: FILE_NOT_FOUND },
  move: { ...hidden, active: 'unchanged', trashed: FILE_NOT_FOUND },
  replace: { ...hidden, active: 'active', trashed: FILE_IN_TRASH },
  revert: { ...hidden, active: 'active', trashed: FILE_IN_TRASH },
  delete: { ...hidden, active: 'trashed', trashed: 'unchanged' },
  restore: { ...hidden, active: 'unchanged', trashed: 'active' },
  purge: { ...hidden, active: FILE_NOT_IN_TRASH, trashed: 'removed' },
  expire: { ...hidden, active: 'unchanged', trashed: 'removed' },
  hide_unused: { ...hidden, active: 'unchanged', trashed: 'unchanged' },
};

/** What becomes of a file in this state by the action. */
export function stepOf(action: FileAction, state: FileState): FileStep {
  return FILE_LIFECYCLE[action][state];
}
