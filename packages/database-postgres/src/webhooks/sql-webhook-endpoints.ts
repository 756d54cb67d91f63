import {
  changedEndpoint,
  endpointEntries,
  isRestart,
  MAX_WEBHOOK_ENDPOINTS,
  rotatedSecrets,
  secretRotationEntry,
  TOO_MANY_ENDPOINTS,
  type EventFeed,
  type NewWebhookEndpoint,
  type WebhookChange,
  type WebhookEndpoint,
  type WebhookEndpoints,
} from '@back-office/events';
import { isRefusal, refuse, type Clock, type Page, type Refusal } from '@back-office/kernel';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { ENDPOINT_COLUMNS, toEndpoint, type EndpointRow } from './endpoint-rows.js';
import { makeDue } from './due-deliveries.js';

const LIST_ENDPOINTS = `
  select ${ENDPOINT_COLUMNS} from webhook_endpoints where app_id = $1 order by id offset $2 limit $3`;

const FIND_ENDPOINT = `select ${ENDPOINT_COLUMNS} from webhook_endpoints where app_id = $1 and id = $2`;

const FIND_ENDPOINTS = `select ${ENDPOINT_COLUMNS} from webhook_endpoints where app_id = $1 and id = any($2)`;

const LOCK_ENDPOINT = `${FIND_ENDPOINT} for no key update`;
const LOCK_ENDPOINT_TO_REMOVE = `${FIND_ENDPOINT} for update`;

/** Serializes calls that add endpoints, because otherwise concurrent calls could exceed the maximum number. */
const LOCK_APP = 'select app_id from app_settings where app_id = $1 for no key update';

const COUNT_ENDPOINTS = 'select count(*)::int as count from webhook_endpoints where app_id = $1';

const INSERT_ENDPOINT = `
  insert into webhook_endpoints
    (app_id, url, description, types, subject, areas, status, secrets, position, inserted_at, updated_at, created_by)
  values ($1, $2, $3, $4, $5, $6, 'active', $7, $8, $9, $9, $10) returning ${ENDPOINT_COLUMNS}`;

const CHANGE_ENDPOINT = `
  update webhook_endpoints set url = $3, description = $4, types = $5, subject = $6, status = $7, status_reason = $8,
    failing_since = $9, failures = case when $11 then 0 else failures end,
    retry_at = case when $11 then null else retry_at end, updated_at = $10,
    revision = revision + 1
  where app_id = $1 and id = $2`;

const SET_SECRETS = 'update webhook_endpoints set secrets = $3, updated_at = $4 where app_id = $1 and id = $2';

const REMOVE_DELIVERIES = 'delete from webhook_deliveries where app_id = $1 and endpoint_id = $2';
const REMOVE_ENDPOINT = 'delete from webhook_endpoints where app_id = $1 and id = $2';

export class SqlWebhookEndpoints implements WebhookEndpoints {
  constructor(
    private readonly database: Postgres,
    private readonly feed: EventFeed,
    private readonly clock: Clock,
  ) {}

  async list(appId: number, { offset, limit }: Page): Promise<WebhookEndpoint[]> {
    return (await this.database.rows<EndpointRow>(LIST_ENDPOINTS, [appId, offset, limit])).map(toEndpoint);
  }

  async find(appId: number, id: number): Promise<WebhookEndpoint | undefined> {
    const [row] = await this.database.rows<EndpointRow>(FIND_ENDPOINT, [appId, id]);
    return row && toEndpoint(row);
  }

  async findAll(appId: number, ids: readonly number[]): Promise<WebhookEndpoint[]> {
    return (await this.database.rows<EndpointRow>(FIND_ENDPOINTS, [appId, ids])).map(toEndpoint);
  }

  async create(appId: number, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint | Refusal> {
    const { url, description, types, subject, areas, secret, createdBy } = endpoint;
    const position = await this.feed.lastPosition(appId);
    return this.database.transaction(async (transaction) => {
      transaction.locks('app');
      await transaction.rows(LOCK_APP, [appId]);
      const [counted] = await transaction.rows<{ count: number }>(COUNT_ENDPOINTS, [appId]);
      if ((counted?.count ?? 0) >= MAX_WEBHOOK_ENDPOINTS) return refuse(TOO_MANY_ENDPOINTS);
      const now = this.clock.now();
      const secrets = JSON.stringify([{ secret, expiresAt: null }]);
      const values = [appId, url, description, types, subject, areas, secrets, position, now, createdBy];
      const [row] = await transaction.rows<EndpointRow>(INSERT_ENDPOINT, values);
      const created = toEndpoint(row as EndpointRow);
      transaction.record(appId, now, { entries: endpointEntries(undefined, created) });
      return created;
    });
  }

  change(appId: number, id: number, change: WebhookChange): Promise<WebhookEndpoint | Refusal | undefined> {
    return this.database.transaction<WebhookEndpoint | Refusal | undefined>(async (transaction) => {
      const endpoint = await lockEndpoint(transaction, appId, id);
      if (endpoint === undefined) return undefined;
      const now = this.clock.now();
      const changed = changedEndpoint(endpoint, change, now);
      if (isRefusal(changed)) return changed;
      transaction.record(appId, now, { entries: endpointEntries(endpoint, changed) });
      const { url, description, types, subject, status, statusReason, failingSince } = changed;
      const isStarted = isRestart(endpoint, change);
      const values = [appId, id, url, description, types, subject, status, statusReason, failingSince, now, isStarted];
      await transaction.rows(CHANGE_ENDPOINT, values);
      if (isStarted) {
        await makeDue(transaction, { appId, endpointId: id, due: 'restart', subjects: null, now });
      }
      return changed;
    });
  }

  rotateSecret(appId: number, id: number, secret: string, overlapEndsAt: Date): Promise<WebhookEndpoint | undefined> {
    return this.database.transaction(async (transaction) => {
      const endpoint = await lockEndpoint(transaction, appId, id);
      if (endpoint === undefined) return undefined;
      const now = this.clock.now();
      const secrets = rotatedSecrets(endpoint.secrets, secret, overlapEndsAt, now);
      transaction.record(appId, now, { entries: [secretRotationEntry(id, overlapEndsAt)] });
      await transaction.runLast(SET_SECRETS, [appId, id, JSON.stringify(secrets), now]);
      return { ...endpoint, secrets, updatedAt: now };
    });
  }

  remove(appId: number, id: number): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const endpoint = await lockEndpoint(transaction, appId, id, LOCK_ENDPOINT_TO_REMOVE);
      if (endpoint === undefined) return false;
      transaction.record(appId, this.clock.now(), { entries: endpointEntries(endpoint, undefined) });
      await transaction.rows(REMOVE_DELIVERIES, [appId, id]);
      await transaction.runLast(REMOVE_ENDPOINT, [appId, id]);
      return true;
    });
  }
}

async function lockEndpoint(
  transaction: Transaction,
  appId: number,
  id: number,
  statement = LOCK_ENDPOINT,
): Promise<WebhookEndpoint | undefined> {
  transaction.locks('webhook');
  const [row] = await transaction.rows<EndpointRow>(statement, [appId, id]);
  return row && toEndpoint(row);
}
