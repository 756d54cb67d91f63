import {
  BLANK_CUSTOMER,
  type Customer,
  type CustomerFilter,
  type CustomerQueries,
  type Customers,
  type NewCustomer,
  type Taken,
} from '@back-office/customers';
import { foldForPeople } from '@back-office/database-search';
import { formatDateTime, newParts, type Clock, type Page } from '@back-office/kernel';
import { randomInt } from 'node:crypto';
import { pageOf, pick, sortedBy } from '../lists.js';
import type { State } from '../state.js';

export class MemoryCustomers implements Customers, CustomerQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, customer: NewCustomer): Promise<Customer | Taken> {
    return this.state.memory.transaction(() => {
      const { customers } = this.state;
      const { email, external_ref: reference } = customer;
      const sameEmail = customers.find(appId, (other) => other.email.toLowerCase() === email.toLowerCase());
      const sameReference =
        typeof reference === 'string' && customers.find(appId, (other) => other.external_ref === reference);
      if (sameEmail || sameReference) {
        return {
          taken: [...(sameEmail ? ['email' as const] : []), ...(sameReference ? ['external_ref' as const] : [])],
        };
      }
      const now = this.clock.now();
      const { dataPart, timePart } = newParts(now, randomInt);
      const parts = { data_part: dataPart, time_part: timePart };
      return customers.insert(appId, { ...BLANK_CUSTOMER, ...customer, ...parts, inserted_at: now, updated_at: now });
    });
  }

  async find(appId: number, id: number, dataPart: number, timePart: number): Promise<Customer | undefined> {
    const found = this.state.customers.get(appId, id);
    return found?.data_part === dataPart && found.time_part === timePart ? found : undefined;
  }

  async list(appId: number, { search, externalRef }: CustomerFilter, page: Page): Promise<string> {
    const found = this.state.customers
      .all(appId)
      .filter((customer) => externalRef === undefined || customer.external_ref === externalRef)
      .filter((customer) => search === undefined || holds(customer, search));
    const sorted = sortedBy(found, [(each) => each.first_name, (each) => each.last_name, (each) => each.id]);
    return JSON.stringify(pageOf(sorted, page).map(present));
  }
}

/** Searches one text, so first and last name are found together in either order. */
function holds({ email, phone, first_name: first, last_name: last }: Customer, query: string): boolean {
  const folded = caseless(query);
  return folded !== '' && caseless(`${first} ${last} ${email} ${phone ?? ''}\n${last} ${first}`).includes(folded);
}

function caseless(text: string): string {
  return foldForPeople(text).toLowerCase();
}

const SHOWN = [
  'id',
  'data_part',
  'time_part',
  'external_ref',
  'email',
  'first_name',
  'last_name',
  'phone',
  'viber_subscribed',
  'preferred_notification_channel_id',
  'loyalty_points',
] as const satisfies readonly (keyof Customer)[];

function present(customer: Customer): object {
  return {
    ...pick(customer, SHOWN),
    inserted_at: formatDateTime(customer.inserted_at),
    updated_at: formatDateTime(customer.updated_at),
  };
}
