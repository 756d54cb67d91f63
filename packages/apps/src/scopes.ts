export const SCOPE_AREAS = [
  'catalogue',
  'stock',
  'checkout',
  'proformas',
  'orders',
  'customers',
  'media',
  'settings',
  'tokens',
  'webhooks',
] as const;

type ScopeArea = (typeof SCOPE_AREAS)[number];

/** Parts of an area, for tokens that need no more. */
const SINGLE_SCOPES = [
  'audit:read',
  'audit:write',
  'customers:erase',
  'events:read',
  'payments:write',
  'proformas:confirm',
  'refunds:write',
] as const;

export type Scope = `${ScopeArea}:${'read' | 'write'}` | (typeof SINGLE_SCOPES)[number];

export const SCOPES: readonly Scope[] = [
  ...SCOPE_AREAS.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  ...SINGLE_SCOPES,
];

/** The scopes of a token; null means every scope, including those of later versions. */
export type GrantedScopes = readonly Scope[] | null;

export function isScope(value: unknown): value is Scope {
  return (SCOPES as readonly unknown[]).includes(value);
}

export function hasScope(granted: GrantedScopes, scope: Scope): boolean {
  return granted === null || granted.includes(scope);
}

/** One scope is enough. */
export function hasAnyScope(granted: GrantedScopes, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => hasScope(granted, scope));
}

/** Returns true if `granted` contains every scope of `required`. */
export function coversScopes(granted: GrantedScopes, required: GrantedScopes): boolean {
  return granted === null || (required !== null && required.every((scope) => granted.includes(scope)));
}
