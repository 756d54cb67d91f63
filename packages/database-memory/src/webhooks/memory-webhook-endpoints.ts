import {
  changedEndpoint,
  endpointEntries,
  isRestart,
  HEALTHY,
  MAX_WEBHOOK_ENDPOINTS,
  rotatedSecrets,
  secretRotationEntry,
  TOO_MANY_ENDPOINTS,
  type NewWebhookEndpoint,
  type WebhookChange,
  type WebhookEndpoint,
  type WebhookEndpoints,
} from '@back-office/events';
import { isRefusal, refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import { audit } from '../apps/audit-entries.js';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';
import { makeDue } from './stored-deliveries.js';

export class MemoryWebhookEndpoints implements WebhookEndpoints {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async list(appId: number, page: Page): Promise<WebhookEndpoint[]> {
    return pageOf(this.state.webhookEndpoints.all(appId), page).map(({ endpoint }) => endpoint);
  }

  async find(appId: number, id: number): Promise<WebhookEndpoint | undefined> {
    return this.state.webhookEndpoints.get(appId, id)?.endpoint;
  }

  async findAll(appId: number, ids: readonly number[]): Promise<WebhookEndpoint[]> {
    return ids.flatMap((id) => this.state.webhookEndpoints.get(appId, id)?.endpoint ?? []);
  }

  async create(appId: number, { secret, ...fields }: NewWebhookEndpoint): Promise<WebhookEndpoint | Refusal> {
    const { state } = this;
    return state.memory.transaction(() => {
      if (state.webhookEndpoints.all(appId).length >= MAX_WEBHOOK_ENDPOINTS) return refuse(TOO_MANY_ENDPOINTS);
      const now = this.clock.now();
      const endpoint: Omit<WebhookEndpoint, 'id'> = {
        ...fields,
        status: 'active',
        statusReason: null,
        secrets: [{ secret, expiresAt: null }],
        failingSince: null,
        insertedAt: now,
        updatedAt: now,
      };
      const position = state.eventFeeds.get(appId, appId)?.last_position ?? 0;
      const stored = state.webhookEndpoints.insert(appId, {
        endpoint: { ...endpoint, id: 0 },
        position,
        health: HEALTHY,
        revision: 0,
        lease: null,
        leasedUntil: null,
      });
      const created = { ...endpoint, id: stored.id };
      state.webhookEndpoints.put(appId, { ...stored, endpoint: created });
      audit(state, appId, now, endpointEntries(undefined, created));
      return created;
    });
  }

  async change(appId: number, id: number, change: WebhookChange): Promise<WebhookEndpoint | Refusal | undefined> {
    const { state } = this;
    return state.memory.transaction(() => {
      const stored = state.webhookEndpoints.get(appId, id);
      if (stored === undefined) return undefined;
      const now = this.clock.now();
      const endpoint = changedEndpoint(stored.endpoint, change, now);
      if (isRefusal(endpoint)) return endpoint;
      const isStarted = isRestart(stored.endpoint, change);
      const health = isStarted ? HEALTHY : stored.health;
      audit(state, appId, now, endpointEntries(stored.endpoint, endpoint));
      state.webhookEndpoints.put(appId, { ...stored, endpoint, health, revision: stored.revision + 1 });
      if (isStarted) makeDue(state, appId, id, now, 'restart');
      return endpoint;
    });
  }

  async rotateSecret(
    appId: number,
    id: number,
    secret: string,
    overlapEndsAt: Date,
  ): Promise<WebhookEndpoint | undefined> {
    const { state } = this;
    return state.memory.transaction(() => {
      const stored = state.webhookEndpoints.get(appId, id);
      if (stored === undefined) return undefined;
      const now = this.clock.now();
      const secrets = rotatedSecrets(stored.endpoint.secrets, secret, overlapEndsAt, now);
      const endpoint = { ...stored.endpoint, secrets, updatedAt: now };
      audit(state, appId, now, [secretRotationEntry(id, overlapEndsAt)]);
      state.webhookEndpoints.put(appId, { ...stored, endpoint });
      return endpoint;
    });
  }

  async remove(appId: number, id: number): Promise<boolean> {
    const { state } = this;
    return state.memory.transaction(() => {
      const stored = state.webhookEndpoints.get(appId, id);
      if (stored === undefined) return false;
      audit(state, appId, this.clock.now(), endpointEntries(stored.endpoint, undefined));
      for (const { id: deliveryId, endpointId } of state.webhookDeliveries.all(appId))
        if (endpointId === id) state.webhookDeliveries.delete(appId, deliveryId);
      state.webhookEndpoints.delete(appId, id);
      return true;
    });
  }
}
