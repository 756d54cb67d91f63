import type { CustomerIdentifier, DeviceDetails, Refusal } from '@back-office/kernel';

export interface SessionDevice extends DeviceDetails {
  readonly uuid: string;
}

export interface NewSession {
  readonly customer: CustomerIdentifier | null;
  readonly device: SessionDevice;
  readonly language: string | null;
  readonly expiresAt: Date;
  /** SHA-256 of the session's token; the token itself is not stored. */
  readonly tokenHash: Uint8Array;
}

export interface Session {
  readonly id: number;
  readonly customerId: number | null;
  readonly expiresAt: Date;
}

export const ENDED_SESSION_RETENTION_HOURS = 30 * 24;

/** Methods treat sessions of other apps as missing. */
export interface Sessions {
  /** Refused with `API.Customers.NotFound` when the app has no such customer. */
  start(appId: number, session: NewSession): Promise<Session | Refusal>;
  /**
   * Ends a session and returns the hash of its token; `undefined` when the session is missing. A repeated call keeps
   * the first end time.
   */
  end(appId: number, id: number): Promise<Uint8Array | undefined>;
  /** Replaces the push token of a session; returns false when the session has ended or is missing. */
  replacePushToken(appId: number, id: number, firebaseToken: string): Promise<boolean>;
  /** Removes a batch of sessions that expired or ended over 30 days ago; returns true when more may remain. */
  purgeEnded(): Promise<boolean>;
}
