import {
  ENDED_SESSION_RETENTION_HOURS,
  newSessionEntries,
  type NewSession,
  type Session,
  type Sessions,
} from '@back-office/apps';
import { addHours, refuse, type Clock, type Refusal } from '@back-office/kernel';
import type { AccessTokenRecord } from '../apps/access-token-record.js';
import { audit } from '../apps/audit-entries.js';
import { addToken } from '../apps/held-tokens.js';
import { findNamedCustomer } from '../customers/named-customer.js';
import type { State } from '../state.js';

export class MemorySessions implements Sessions {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async start(
    appId: number,
    { customer: name, device, language, expiresAt, tokenHash }: NewSession,
  ): Promise<Session | Refusal> {
    return this.state.memory.transaction(() => {
      const customer = name && findNamedCustomer(this.state, appId, name);
      if (customer === undefined) return refuse('API.Customers.NotFound');
      const { id, customer_id: customerId } = addToken(this.state, appId, tokenHash, {
        kind: 'session',
        language,
        inserted_at: this.clock.now(),
        expires_at: expiresAt,
        customer_id: customer?.id ?? null,
        device_uuid: device.uuid,
        device_type: device.type,
        device_vendor: device.vendor,
        mobile_info: device.mobileInfo,
      });
      const session = { id, customerId, expiresAt };
      audit(this.state, appId, this.clock.now(), newSessionEntries(session));
      return session;
    });
  }

  async end(appId: number, id: number): Promise<Uint8Array | undefined> {
    return this.state.memory.transaction(() => {
      const session = this.find(appId, id);
      if (session === undefined) return undefined;
      const revokedAt = session.revoked_at ?? this.clock.now();
      this.state.accessTokens.put(appId, { ...session, revoked_at: revokedAt, firebase_token: null });
      return Buffer.from(session.hash, 'hex');
    });
  }

  async replacePushToken(appId: number, id: number, firebaseToken: string): Promise<boolean> {
    return this.state.memory.transaction(() => {
      const session = this.find(appId, id);
      if (session === undefined || session.revoked_at !== null) return false;
      this.state.accessTokens.put(appId, { ...session, firebase_token: firebaseToken });
      return true;
    });
  }

  async purgeEnded(): Promise<boolean> {
    const endedBefore = addHours(this.clock.now(), -ENDED_SESSION_RETENTION_HOURS);
    const { memory, accessTokens } = this.state;
    return memory.transaction(() => {
      for (const appId of accessTokens.appIds()) {
        for (const token of accessTokens.all(appId)) {
          if (token.kind !== 'app' && hasEndedBefore(token, endedBefore)) accessTokens.delete(appId, token.id);
        }
      }
      return false;
    });
  }

  private find(appId: number, id: number): AccessTokenRecord | undefined {
    const token = this.state.accessTokens.get(appId, id);
    return token?.kind === 'session' ? token : undefined;
  }
}

function hasEndedBefore({ expires_at: expiresAt, revoked_at: revokedAt }: AccessTokenRecord, end: Date): boolean {
  return [expiresAt, revokedAt].some((at) => at !== null && at < end);
}
