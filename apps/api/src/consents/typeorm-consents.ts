import {
  changeFor,
  consentOf,
  SWITCHES,
  type Change,
  type Consent,
  type Customer,
  type Wish,
} from '@back-office/consent';
import { isBlank, type Clock, type Page } from '@back-office/kernel';
import { isCustomer, type CustomerName } from '../customers/index.js';
import type { Database, Sql } from '../database/database.js';
import { placeholders } from '../database/placeholders.js';

/** One row of the history. */
export interface StoredChange extends Change {
  readonly id: number;
  readonly customerId: number;
  /** The how many-eth change of its switch it is. */
  readonly step: number;
}

/** What is known of a customer up to some moment. */
export interface KnownConsent {
  readonly customerId: number;
  readonly customer: Customer;
  readonly lastChanges: readonly StoredChange[];
}

const CHANGE = `h.id, h.customer_id as "customerId", h.channel, h.step, h.from_state as "from", h.to_state as "to",
  h.source, h.changed_at as at`;

/** A row for each switch, all with the customer, and with the last change before a moment where there is one. */
function known(customer: string): string {
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

/** What customers have granted and revoked: a history that only grows, whose last rows are the present. */
export class TypeOrmConsents {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async find(appId: number, customerId: number): Promise<Consent | undefined> {
    const found = await knownById(this.database, appId, customerId);
    return found && consentOf(found.customer, found.lastChanges);
  }

  /** What was known before a moment of the customer, whom the app names. */
  findBefore(appId: number, name: CustomerName, moment: Date): Promise<KnownConsent | undefined> {
    const values: unknown[] = [appId, SWITCHES, moment];
    const customer = isCustomer(name, placeholders(values));
    return knownOf(this.database, known(customer), values);
  }

  /** Moves a switch, unless it stands there already, and answers what holds then. One change after the other. */
  change(appId: number, customerId: number, wish: Wish): Promise<Consent | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('customer');
      await transaction.rows(LOCK, [appId, customerId]);
      // Only a statement that begins after the wait sees what the others have changed.
      const found = await knownById(transaction, appId, customerId);
      if (found === undefined) return undefined;
      const { customer, lastChanges } = found;
      const last = lastChanges.find(({ channel }) => channel === wish.channel);
      const change = changeFor(wish, last, this.clock.now());
      if (change === undefined) return consentOf(customer, lastChanges);
      const { channel, from, to, source, at } = change;
      await transaction.last(INSERT, [appId, customerId, channel, (last?.step ?? 0) + 1, from, to, source, at]);
      return consentOf(customer, [...lastChanges.filter((each) => each !== last), change]);
    });
  }

  /** Oldest first, so that a page stays what it is when there are more. */
  history(appId: number, customerId: number, { offset, limit }: Page): Promise<StoredChange[]> {
    return this.database.rows(HISTORY, [appId, customerId, offset, limit]);
  }
}

function knownById(sql: Sql, appId: number, customerId: number): Promise<KnownConsent | undefined> {
  return knownOf(sql, known('c.id = $4'), [appId, SWITCHES, null, customerId]);
}

async function knownOf(sql: Sql, text: string, values: readonly unknown[]): Promise<KnownConsent | undefined> {
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
