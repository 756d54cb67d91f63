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
import type { Postgres } from '../connection/postgres.js';
import { customerCondition } from '../customers/customer-condition.js';
import { placeholders } from '../lists/placeholders.js';
import type { Sql } from '../connection/sql.js';

const CHANGE_COLUMNS = `h.id, h.customer_id as "customerId", h.channel, h.step, h.from_state as "from", h.to_state as "to",
  h.source, h.changed_at as at`;

function knownConsentSql(customer: string): string {
  return `
  select c.id as known_id, c.viber_subscribed, c.preferred_notification_channel_id, c.phone, c.inserted_at,
    exists (select from notification_devices d where d.app_id = $1 and d.customer_id = c.id) as has_device, last.*
  from customers c cross join unnest($2::text[]) as switch (name)
  left join lateral (
    select ${CHANGE_COLUMNS} from customer_consent_changes h
    where h.app_id = $1 and h.customer_id = c.id and h.channel = switch.name
      and ($3::timestamptz is null or h.changed_at < $3)
    order by h.step desc limit 1
  ) as last on true
  where c.app_id = $1 and ${customer}`;
}

type KnownConsentRow = {
  readonly known_id: number;
  readonly viber_subscribed: boolean;
  readonly preferred_notification_channel_id: number | null;
  readonly phone: string | null;
  readonly inserted_at: Date;
  readonly has_device: boolean;
} & (StoredChange | { readonly id: null });

const FIND_ALL = knownConsentSql('c.id = any($4::bigint[])');

const LOCK_CUSTOMER = `select id from customers where app_id = $1 and id = $2 for no key update`;

const INSERT_CHANGE = `
  insert into customer_consent_changes
    (app_id, customer_id, channel, step, from_state, to_state, source, changed_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const LIST_CHANGES = `
  select ${CHANGE_COLUMNS} from customer_consent_changes h
  where h.app_id = $1 and h.customer_id = $2 order by h.id offset $3 limit $4`;

export class SqlConsents implements Consents, ConsentQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async find(appId: number, customerId: number): Promise<Consent | undefined> {
    const knownConsent = await findKnownById(this.database, appId, customerId);
    return knownConsent && consentOf(knownConsent.customer, knownConsent.lastChanges);
  }

  async findAll(appId: number, customerIds: readonly number[]): Promise<ReadonlyMap<number, Consent>> {
    const values = [appId, SWITCHES, null, customerIds];
    const rows = await this.database.rows<KnownConsentRow>(FIND_ALL, values);
    const rowsByCustomer = new Map<number, KnownConsentRow[]>();
    for (const row of rows) rowsByCustomer.set(row.known_id, [...(rowsByCustomer.get(row.known_id) ?? []), row]);
    return new Map(
      [...rowsByCustomer].flatMap(([customerId, customerRows]) => {
        const knownConsent = knownConsentOf(customerRows);
        return knownConsent ? [[customerId, consentOf(knownConsent.customer, knownConsent.lastChanges)]] : [];
      }),
    );
  }

  findBefore(appId: number, identifier: CustomerIdentifier, moment: Date): Promise<KnownConsent | undefined> {
    const values: unknown[] = [appId, SWITCHES, moment];
    const customer = customerCondition(identifier, placeholders(values));
    return findKnown(this.database, knownConsentSql(customer), values);
  }

  change(appId: number, customerId: number, request: ConsentRequest): Promise<Consent | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('customer');
      await transaction.rows(LOCK_CUSTOMER, [appId, customerId]);
      // Reads in a new statement. Only a new statement sees changes that were committed during the wait for the lock.
      const knownConsent = await findKnownById(transaction, appId, customerId);
      if (knownConsent === undefined) return undefined;
      const { customer, lastChanges } = knownConsent;
      const lastChange = lastChanges.find(({ channel }) => channel === request.channel);
      const change = changeFor(request, lastChange, this.clock.now());
      if (change === undefined) return consentOf(customer, lastChanges);
      const { channel, from, to, source, at } = change;
      transaction.record(appId, at, { events: [{ type: 'consent.changed', recordId: customerId }] });
      await transaction.runLast(INSERT_CHANGE, [
        appId,
        customerId,
        channel,
        (lastChange?.step ?? 0) + 1,
        from,
        to,
        source,
        at,
      ]);
      return consentOf(customer, [...lastChanges.filter((other) => other !== lastChange), change]);
    });
  }

  // Sorts the oldest change first, so that pages stay the same while the history grows.
  history(appId: number, customerId: number, { offset, limit }: Page): Promise<StoredChange[]> {
    return this.database.rows(LIST_CHANGES, [appId, customerId, offset, limit]);
  }
}

function findKnownById(sql: Sql, appId: number, customerId: number): Promise<KnownConsent | undefined> {
  return findKnown(sql, knownConsentSql('c.id = $4'), [appId, SWITCHES, null, customerId]);
}

async function findKnown(sql: Sql, text: string, values: readonly unknown[]): Promise<KnownConsent | undefined> {
  return knownConsentOf(await sql.rows<KnownConsentRow>(text, values));
}

function knownConsentOf(rows: readonly KnownConsentRow[]): KnownConsent | undefined {
  const [firstRow] = rows;
  if (firstRow === undefined) return undefined;
  const customer = {
    registeredAt: firstRow.inserted_at,
    hasDevice: firstRow.has_device,
    hasPhone: !isBlank(firstRow.phone ?? ''),
    viberSubscribed: firstRow.viber_subscribed,
    chosenChannelId: firstRow.preferred_notification_channel_id,
  };
  const lastChanges = rows.filter((row): row is KnownConsentRow & StoredChange => row.id !== null);
  return { customerId: firstRow.known_id, customer, lastChanges };
}
