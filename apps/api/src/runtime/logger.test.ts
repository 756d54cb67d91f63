import { loggable } from './logger.js';

describe('an error in the log', () => {
  it('shows its chain of causes', () => {
    const root = Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    const error = new Error('The store cannot take the file', { cause: new Error('put failed', { cause: root }) });
    expect(loggable(error)).toMatchObject({
      message: 'The store cannot take the file',
      cause: { message: 'put failed', cause: { message: 'read-only file system', code: 'EROFS' } },
    });
  });

  it('is truncated when causes form a cycle', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(loggable(error)).match(/"message":"round"/g)).toHaveLength(4);
  });
});
