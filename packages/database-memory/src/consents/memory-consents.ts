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
import type { Customer } from '@back-office/customers';
import { isBlank, type Clock, type CustomerIdentifier, type Page } from '@back-office/kernel';
import { findNamedCustomer } from '../customers/named-customer.js';
import { publish } from '../events/published-events.js';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';

export class MemoryConsents implements Consents, ConsentQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async change(appId: number, customerId: number, request: ConsentRequest): Promise<Consent | undefined> {
    return this.state.memory.transaction(() => {
      const knownConsent = this.findKnownConsent(appId, this.state.customers.get(appId, customerId));
      if (knownConsent === undefined) return undefined;
      const { customer, lastChanges } = knownConsent;
      const lastChange = lastChanges.find(({ channel }) => channel === request.channel);
      const change = changeFor(request, lastChange, this.clock.now());
      if (change === undefined) return consentOf(customer, lastChanges);
      publish(this.state, appId, change.at, [{ type: 'consent.changed', recordId: customerId }]);
      this.state.consentChanges.insert(appId, { ...change, customerId, step: (lastChange?.step ?? 0) + 1 });
      return consentOf(customer, [...lastChanges.filter((channelChange) => channelChange !== lastChange), change]);
    });
  }

  async find(appId: number, customerId: number): Promise<Consent | undefined> {
    const knownConsent = this.findKnownConsent(appId, this.state.customers.get(appId, customerId));
    return knownConsent && consentOf(knownConsent.customer, knownConsent.lastChanges);
  }

  async findAll(appId: number, customerIds: readonly number[]): Promise<ReadonlyMap<number, Consent>> {
    const consents = await Promise.all(customerIds.map(async (id) => [id, await this.find(appId, id)] as const));
    return new Map(consents.flatMap(([id, consent]) => (consent ? [[id, consent]] : [])));
  }

  async findBefore(appId: number, name: CustomerIdentifier, moment: Date): Promise<KnownConsent | undefined> {
    return this.findKnownConsent(appId, findNamedCustomer(this.state, appId, name), moment);
  }

  async history(appId: number, customerId: number, page: Page): Promise<StoredChange[]> {
    return pageOf(this.changesOf(appId, customerId), page);
  }

  private findKnownConsent(appId: number, customer: Customer | undefined, before?: Date): KnownConsent | undefined {
    if (customer === undefined) return undefined;
    const changes = this.changesOf(appId, customer.id).filter(({ at }) => before === undefined || at < before);
    const devices = this.state.devices.all(appId);
    return {
      customerId: customer.id,
      customer: {
        registeredAt: customer.inserted_at,
        hasDevice: devices.some(({ customer_id: holder }) => holder === customer.id),
        hasPhone: !isBlank(customer.phone ?? ''),
        viberSubscribed: customer.viber_subscribed,
        chosenChannelId: customer.preferred_notification_channel_id,
      },
      lastChanges: SWITCHES.flatMap((name) => changes.findLast(({ channel }) => channel === name) ?? []),
    };
  }

  private changesOf(appId: number, customerId: number): StoredChange[] {
    return this.state.consentChanges.all(appId).filter((change) => change.customerId === customerId);
  }
}
