import {
  newCustomerColumns,
  type Customer,
  type CustomerFilter,
  type CustomerQueries,
  type Customers,
  type NewCustomer,
  type PresentedCustomer,
  type TakenFields,
} from '@back-office/customers';
import {
  formatDateTime,
  newParts,
  withStoredForms,
  type Clock,
  type ListedPage,
  type Page,
  type Sorting,
} from '@back-office/kernel';
import { randomInt } from 'node:crypto';
import { publish } from '../events/published-events.js';
import { pick } from '../lists.js';
import { lowerCase } from '../lower-case.js';
import { containsFolded } from '../people-search.js';
import { listedPage, nameKey, type SortKey } from '../sorting.js';
import type { State } from '../state.js';

export class MemoryCustomers implements Customers, CustomerQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, customer: NewCustomer): Promise<Customer | TakenFields> {
    return this.state.memory.transaction(() => {
      const { customers } = this.state;
      const { email, external_ref: reference } = customer;
      const customerWithEmail = customers.find(appId, (candidate) => lowerCase(candidate.email) === lowerCase(email));
      const customerWithReference =
        typeof reference === 'string' &&
        customers.find(appId, (candidate) => withStoredForms([reference]).includes(candidate.external_ref ?? ''));
      if (customerWithEmail || customerWithReference) {
        return {
          taken: [
            ...(customerWithEmail ? ['email' as const] : []),
            ...(customerWithReference ? ['external_ref' as const] : []),
          ],
        };
      }
      const now = this.clock.now();
      const { dataPart, timePart } = newParts(now, randomInt);
      const parts = { data_part: dataPart, time_part: timePart };
      const row = { ...newCustomerColumns(customer), ...parts, inserted_at: now, updated_at: now };
      const newCustomer = customers.insert(appId, row);
      publish(this.state, appId, now, [{ type: 'customer.created', recordId: newCustomer.id }]);
      return newCustomer;
    });
  }

  async find(appId: number, id: number, dataPart: number, timePart: number): Promise<Customer | undefined> {
    const customer = this.state.customers.get(appId, id);
    return customer?.data_part === dataPart && customer.time_part === timePart ? customer : undefined;
  }

  async findAll(appId: number, ids: readonly number[]): Promise<PresentedCustomer[]> {
    return ids.flatMap((id) => this.state.customers.get(appId, id) ?? []).map(presentCustomer);
  }

  async list(
    appId: number,
    { search, externalRef, updatedAfter }: CustomerFilter,
    page: Page,
    sorting?: Sorting,
  ): Promise<ListedPage> {
    const matchingCustomers = this.state.customers
      .all(appId)
      .filter((customer) => externalRef === undefined || customer.external_ref === externalRef)
      .filter((customer) => updatedAfter === undefined || customer.updated_at >= updatedAfter)
      .filter((customer) => search === undefined || matchesSearch(customer, search));
    const direction = sorting?.direction ?? 'asc';
    const keys: readonly SortKey<Customer>[] = [
      ...(sorting
        ? [{ value: (customer: Customer) => customer.updated_at.getTime(), direction }]
        : [{ ...nameKey((customer: Customer) => [customer.first_name, customer.last_name]), direction }]),
      { value: ({ id }) => id, direction },
    ];
    return listedPage(matchingCustomers, keys, page, presentCustomer);
  }
}

/** Joins the names in both orders, because a query may start with either name. */
function matchesSearch({ email, phone, first_name: first, last_name: last }: Customer, query: string): boolean {
  return containsFolded(`${first} ${last} ${email} ${phone ?? ''}\n${last} ${first}`, query, phone);
}

const SHOWN_FIELDS = [
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

export function presentCustomer(customer: Customer): PresentedCustomer {
  return {
    ...pick(customer, SHOWN_FIELDS),
    inserted_at: formatDateTime(customer.inserted_at),
    updated_at: formatDateTime(customer.updated_at),
  };
}
