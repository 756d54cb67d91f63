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

export type Scope = `${ScopeArea}:${'read' | 'write'}` | 'audit:read' | 'events:read';

export const SCOPES: readonly Scope[] = [
  ...SCOPE_AREAS.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  'audit:read',
  'events:read',
];

/** The scopes of a token; null means every scope, including those of later versions. */
export type GrantedScopes = readonly Scope[] | null;

export function isScope(value: unknown): value is Scope {
  return (SCOPES as readonly unknown[]).includes(value);
}

export function hasScope(granted: GrantedScopes, scope: Scope): boolean {
  return granted === null || granted.includes(scope);
}

/** Returns true if `granted` contains every scope of `required`. */
export function coversScopes(granted: GrantedScopes, required: GrantedScopes): boolean {
  return granted === null || (required !== null && required.every((scope) => granted.includes(scope)));
}
