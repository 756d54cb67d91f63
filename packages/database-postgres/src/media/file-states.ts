import { statesBefore, type FileAction, type FileState } from '@back-office/media';

export function stateBeforeSql(action: FileAction, step: FileState | 'removed', column = 'state'): string {
  const states = statesBefore(action, step).map((state) => `'${state}'`);
  return `${column} in (${states.join(', ')})`;
}
