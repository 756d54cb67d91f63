import { hashToken, mapKeyOf, newToken, tokenKeyOf } from './authentication.js';

const SECRET = 'Og-VzN0TJT_uL2hIhK9qnVXcYcJbq0Jr7mX4oQ2sE1w';

describe('tokenKeyOf', () => {
  it.each([
    ['app', 1],
    ['session', 42],
    ['upload', 999_999_999_999_999],
  ] as const)('finds the app in a new token of the kind %s', (kind, appId) => {
    const token = newToken(kind, appId);
    expect(tokenKeyOf(token)).toEqual({ hash: hashToken(token), mapKey: mapKeyOf(hashToken(token)), appId });
  });

  it('finds no app in an earlier token', () => {
    const token = `bo_app_${SECRET}`;
    expect(tokenKeyOf(token)).toEqual({ hash: hashToken(token), mapKey: mapKeyOf(hashToken(token)), appId: undefined });
  });

  it.each([
    `bo_till_1_${SECRET}`,
    `bo_app_0_${SECRET}`,
    `bo_app_01_${SECRET}`,
    `bo_app_-1_${SECRET}`,
    `bo_app_+1_${SECRET}`,
    `bo_app_1000000000000000_${SECRET}`,
    `bo_app_1_${SECRET}=`,
    `BO_app_1_${SECRET}`,
    `bo_app_${SECRET.slice(1)}`,
    'x',
  ])('finds nothing to look up in %s', (token) => {
    expect(tokenKeyOf(token)).toBeUndefined();
  });
});
