import { coversScopes, hasScope, isScope, SCOPES } from './scopes.js';

describe('isScope', () => {
  it('accepts scopes and no other value', () => {
    expect(SCOPES.every(isScope)).toBe(true);
    for (const value of ['audit:erase', 'stock', 'stock:', 'Stock:read', '', null, 5])
      expect(isScope(value)).toBe(false);
  });
});

describe('hasScope', () => {
  it('is true for every scope when the granted scopes are null', () => {
    expect(SCOPES.every((scope) => hasScope(null, scope))).toBe(true);
  });

  it('does not derive the right to read from the right to write', () => {
    expect(hasScope(['stock:write'], 'stock:write')).toBe(true);
    expect(hasScope(['stock:write'], 'stock:read')).toBe(false);
    expect(hasScope([], 'stock:read')).toBe(false);
  });
});

describe('coversScopes', () => {
  it('is true for a subset of the granted scopes', () => {
    expect(coversScopes(null, null)).toBe(true);
    expect(coversScopes(null, SCOPES)).toBe(true);
    expect(coversScopes(['stock:read', 'stock:write'], ['stock:write'])).toBe(true);
    expect(coversScopes(['stock:read'], [])).toBe(true);
  });

  it('is false for a scope that is not granted, and for null', () => {
    expect(coversScopes(['stock:read'], ['stock:read', 'stock:write'])).toBe(false);
    expect(coversScopes(SCOPES, null)).toBe(false);
  });
});
