import {
  changeFor,
  consentOf,
  SWITCHES,
  type Consent,
  type ConsentQueries,
  type Consents,
  type KnownConsent,
  type StoredChange,
  type ConsentRequest,
} from '@back-office/consent';
import { isBlank, type Clock, type CustomerIdentifier, type Page } from '@back-office/kernel';
import type { Postgres } from '../postgres.js';
import { customerCondition } from '../customers/customer-condition.js';
import { placeholders } from '../placeholders.js';
import type { Sql } from '../client-transaction.js';

const CHANGE = `h.id, h.customer_id as "customerId", h.channel, h.step, h.from_state as "from", h.to_state as "to",
  h.source, h.changed_at as at`;

/** One row per switch with the customer and the last change, optionally before a time. */
function knownSql(customer: string): string {
  return `
  select c.id as known_id, c.viber_subscribed, c.preferred_notification_channel_id, c.phone, c.inserted_at,
    exists (select from notification_devices d where d.app_id = $1 and d.customer_id = c.id) as has_device, last.*
  from customers c cross join unnest($2::text[]) as switch (name)
  left join lateral (
    select ${CHANGE} from customer_consent_changes h
    where h.app_id = $1 and h.customer_id = c.id and h.channel = switch.name
      and ($3::timestamptz is null or h.changed_at < $3)
    order by h.step desc limit 1
  ) as last on true
  where c.app_id = $1 and ${customer}`;
}

type KnownRow = {
  readonly known_id: number;
  readonly viber_subscribed: boolean;
  readonly preferred_notification_channel_id: number | null;
  readonly phone: string | null;
  readonly inserted_at: Date;
  readonly has_device: boolean;
} & (StoredChange | { readonly id: null });

const LOCK = `select id from customers where app_id = $1 and id = $2 for no key update`;

const INSERT = `
  insert into customer_consent_changes
    (app_id, customer_id, channel, step, from_state, to_state, source, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const HISTORY = `
  select ${CHANGE} from customer_consent_changes h
  where h.app_id = $1 and h.customer_id = $2 order by h.id offset $3 limit $4`;

export class SqlConsents implements Consents, ConsentQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async find(appId: number, customerId: number): Promise<Consent | undefined> {
    const found = await findKnownById(this.database, appId, customerId);
    return found && consentOf(found.customer, found.lastChanges);
  }

  findBefore(appId: number, name: CustomerIdentifier, moment: Date): Promise<KnownConsent | undefined> {
    const values: unknown[] = [appId, SWITCHES, moment];
    const customer = customerCondition(name, placeholders(values));
    return findKnown(this.database, knownSql(customer), values);
  }

  change(appId: number, customerId: number, request: ConsentRequest): Promise<Consent | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('customer');
      await transaction.rows(LOCK, [appId, customerId]);
      // A new statement after the wait for the lock sees committed changes.
      const found = await findKnownById(transaction, appId, customerId);
      if (found === undefined) return undefined;
      const { customer, lastChanges } = found;
      const last = lastChanges.find(({ channel }) => channel === request.channel);
      const change = changeFor(request, last, this.clock.now());
      if (change === undefined) return consentOf(customer, lastChanges);
      const { channel, from, to, source, at } = change;
      await transaction.last(INSERT, [appId, customerId, channel, (last?.step ?? 0) + 1, from, to, source, at]);
      return consentOf(customer, [...lastChanges.filter((each) => each !== last), change]);
    });
  }

  // Oldest first, so pages stay stable while the history grows.
  history(appId: number, customerId: number, { offset, limit }: Page): Promise<StoredChange[]> {
    return this.database.rows(HISTORY, [appId, customerId, offset, limit]);
  }
}

function findKnownById(sql: Sql, appId: number, customerId: number): Promise<KnownConsent | undefined> {
  return findKnown(sql, knownSql('c.id = $4'), [appId, SWITCHES, null, customerId]);
}

async function findKnown(sql: Sql, text: string, values: readonly unknown[]): Promise<KnownConsent | undefined> {
  const rows = await sql.rows<KnownRow>(text, values);
  const [first] = rows;
  if (first === undefined) return undefined;
  const customer = {
    registeredAt: first.inserted_at,
    hasDevice: first.has_device,
    hasPhone: !isBlank(first.phone ?? ''),
    viberSubscribed: first.viber_subscribed,
    chosenChannelId: first.preferred_notification_channel_id,
  };
  const lastChanges = rows.filter((row): row is KnownRow & StoredChange => row.id !== null);
  return { customerId: first.known_id, customer, lastChanges };
}
