import { statesBefore, type FileAction, type FileState } from '@back-office/media';

/** Condition that the state of a file allows the action to lead to `step`. */
export function stateBeforeSql(action: FileAction, step: FileState | 'removed', column = 'state'): string {
  const states = statesBefore(action, step).map((state) => `'${state}'`);
  return `${column} in (${states.join(', ')})`;
}
