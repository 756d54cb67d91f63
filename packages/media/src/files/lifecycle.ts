import type { Refusal } from '@back-office/kernel';
import { FILE_IN_TRASH, FILE_NOT_FOUND, FILE_NOT_IN_TRASH } from '../refusals.js';

/** `receiving` means that the upload is in progress and invisible. A purged file has no state. */
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
  | 'expire';

/** The next state, `unchanged` (already done), `removed`, or a refusal. */
export type FileStep = FileState | 'unchanged' | 'removed' | Refusal;

const MISSING_WHILE_RECEIVING = { receiving: FILE_NOT_FOUND } as const;

export const FILE_LIFECYCLE: Readonly<Record<FileAction, Readonly<Record<FileState, FileStep>>>> = {
  store: { receiving: 'active', active: FILE_NOT_FOUND, trashed: FILE_NOT_FOUND },
  abandon: { receiving: 'removed', active: FILE_NOT_FOUND, trashed: FILE_NOT_FOUND },
  edit: { ...MISSING_WHILE_RECEIVING, active: 'unchanged', trashed: FILE_NOT_FOUND },
  move: { ...MISSING_WHILE_RECEIVING, active: 'unchanged', trashed: FILE_NOT_FOUND },
  replace: { ...MISSING_WHILE_RECEIVING, active: 'active', trashed: FILE_IN_TRASH },
  revert: { ...MISSING_WHILE_RECEIVING, active: 'active', trashed: FILE_IN_TRASH },
  delete: { ...MISSING_WHILE_RECEIVING, active: 'trashed', trashed: 'unchanged' },
  restore: { ...MISSING_WHILE_RECEIVING, active: 'unchanged', trashed: 'active' },
  purge: { ...MISSING_WHILE_RECEIVING, active: FILE_NOT_IN_TRASH, trashed: 'removed' },
  expire: { ...MISSING_WHILE_RECEIVING, active: 'unchanged', trashed: 'removed' },
};

export function stepOf(action: FileAction, state: FileState): FileStep {
  return FILE_LIFECYCLE[action][state];
}

export function statesBefore(action: FileAction, step: FileState | 'removed'): FileState[] {
  return FILE_STATES.filter((state) => stepOf(action, state) === step);
}
