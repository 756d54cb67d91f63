/** The kind of work that needs the database. Each kind has connections that no other kind can take. */
export type PartyKind = 'app' | 'token' | 'file' | 'health';

/**
 * A party on whose behalf the service uses the database. Parties of one kind take turns, so none can keep another
 * waiting. The key is the id of an app, or an address.
 */
export interface Party {
  readonly kind: PartyKind;
  readonly key: number | string;
}
