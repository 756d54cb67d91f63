import { statesBefore, type FileAction, type FileState } from '@back-office/media';

/** Returns a condition that the action changes the file's state to `step`. */
export function stateBeforeSql(action: FileAction, step: FileState | 'removed', column = 'state'): string {
  const states = statesBefore(action, step).map((state) => `'${state}'`);
  return `${column} in (${states.join(', ')})`;
}
