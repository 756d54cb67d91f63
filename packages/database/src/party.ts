/** Kind of work that needs the database. Each kind has connections that other kinds cannot take. */
export type PartyKind = 'app' | 'token' | 'file' | 'health';

/**
 * An app or a client address that uses the database. Parties of one kind take turns, so that no party can block
 * another. `key` is the id of the app, or the address.
 */
export interface Party {
  readonly kind: PartyKind;
  readonly key: number | string;
}
