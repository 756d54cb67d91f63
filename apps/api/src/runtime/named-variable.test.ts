import { messageOf } from './error-message.js';
import { withVariableName } from './named-variable.js';

describe('an error of a server that a variable addresses', () => {
  it.each([
    ['its message', new Error('connect ECONNREFUSED 127.0.0.1:1'), 'connect ECONNREFUSED 127.0.0.1:1'],
    [
      'the first of several attempts',
      Object.assign(new AggregateError([new Error('refused')], 'x'), { message: '' }),
      'refused',
    ],
    ['the first line', new Error('refused\nat once'), 'refused'],
    ['its cause', new Error('away', { cause: new Error('refused') }), 'away (refused)'],
  ])('is reported with the name of the variable and %s', async (_, error, message) => {
    const fail = async (): Promise<never> => {
      throw error;
    };
    const namedError = await withVariableName('DATABASE_URL', fail).catch((caught: unknown) => caught);
    expect(messageOf(namedError)).toBe(`DATABASE_URL: ${message}`);
  });
});
