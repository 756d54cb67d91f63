import type { AppContext } from '@back-office/apps';
import {
  activeSecrets,
  EVENT_KINDS,
  type EventRecord,
  type SubjectKind,
  type WebhookEndpoint,
  type WebhookRequest,
} from '@back-office/events';
import type { Clock } from '@back-office/kernel';
import { presentEvent, type EventRecords } from '../events/index.js';
import { BASE_PATH } from '../http/base-path.js';
import { signatureHeaders } from './signature.js';

export const MAX_BODY_BYTES = 256_000;
const USER_AGENT = 'retail-back-office';

export class WebhookMessages {
  constructor(
    private readonly records: EventRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the records of all events at once. Returns a function that makes the body of one event. A body that would be
   * too large omits the record.
   */
  async bodiesOf(app: AppContext, events: readonly EventRecord[]): Promise<(event: EventRecord) => string> {
    const records = await this.records.find(app, events);
    return (event) => {
      const envelope = presentEvent(app.id, event, records);
      const body = JSON.stringify(envelope);
      if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
      return JSON.stringify({ ...envelope, data: null, dataref: BASE_PATH + pathOf(event) });
    };
  }

  requestOf(endpoint: WebhookEndpoint, id: string, body: string): WebhookRequest {
    const at = this.clock.now();
    const secrets = activeSecrets(endpoint.secrets, at).map(({ secret }) => secret);
    const headers = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT };
    return { url: endpoint.url, headers: { ...headers, ...signatureHeaders({ id, at, body }, secrets) }, body };
  }
}

/** Returns the path of the GET call that shows the record. */
function pathOf({ type, recordId }: EventRecord): string {
  const { subject } = EVENT_KINDS[type];
  return PATHS[subject](recordId);
}

const PATHS: Readonly<Record<SubjectKind, (id: number) => string>> = {
  proforma_orders: (id) => `/proforma_orders/${id}`,
  orders: (id) => `/orders/${id}`,
  customers: (id) => `/customers/${id}`,
  files: (id) => `/cdn/files/${id}`,
  consents: (id) => `/customers/${id}/consents`,
  products: () => '/products',
  stocks: () => '/stocks',
  vouchers: () => '/vouchers',
  webhook_endpoints: (id) => `/webhook_endpoints/${id}`,
};

/** Returns the same id for every attempt, so that receivers can recognize repeated events. */
export function messageId(endpoint: Pick<WebhookEndpoint, 'id'>, event: EventRecord): string {
  return `msg_${endpoint.id}_${event.id}`;
}
