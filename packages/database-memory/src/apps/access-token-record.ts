import type { MobileInfo } from '@back-office/kernel';
import type { GrantedScopes, TokenKind, UploadGrant } from '@back-office/apps';
import type { Stored } from '../memory.js';

export interface AccessTokenRecord extends Stored {
  readonly kind: TokenKind;
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string;
  readonly name: string | null;
  readonly scopes: GrantedScopes;
  readonly upload: UploadGrant | null;
  readonly created_by: number | null;
  readonly language: string | null;
  readonly inserted_at: Date;
  readonly last_used_at: Date | null;
  readonly customer_id: number | null;
  readonly device_uuid: string | null;
  readonly device_type: string | null;
  readonly device_vendor: string | null;
  readonly mobile_info: MobileInfo | null;
  readonly firebase_token: string | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}
