import type { TokenKey } from '@back-office/apps';
import type { State } from '../state.js';
import type { AccessTokenRecord } from './access-token-record.js';

export function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}

export interface AppToken {
  readonly appId: number;
  readonly token: AccessTokenRecord;
}

export function findToken({ accessTokens }: State, key: TokenKey): AppToken | undefined {
  const hex = hexOf(key.hash);
  for (const appId of key.appId === undefined ? accessTokens.appIds() : [key.appId]) {
    const token = accessTokens.find(appId, (candidate) => candidate.hash === hex);
    if (token) return { appId, token };
  }
  return undefined;
}

type NewToken = Pick<AccessTokenRecord, 'kind' | 'language' | 'inserted_at' | 'expires_at'> &
  Partial<AccessTokenRecord>;

export function addToken(state: State, appId: number, hash: Uint8Array, token: NewToken): AccessTokenRecord {
  if (findToken(state, { hash, appId })) throw new Error('Another token has this hash');
  return state.accessTokens.insert(appId, { ...BLANK, ...token, hash: hexOf(hash) });
}

const BLANK = {
  name: null,
  scopes: null,
  last_used_at: null,
  upload: null,
  created_by: null,
  customer_id: null,
  device_uuid: null,
  device_type: null,
  device_vendor: null,
  mobile_info: null,
  firebase_token: null,
  revoked_at: null,
};
