import {
  cardEntries,
  storedCardIdentifiers,
  type Card,
  type Cards,
  type DesiredCard,
  type UpsertedCard,
} from '@back-office/customers';
import { ALREADY_TAKEN, newParts, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { matcherOf, MATCHING, TRIMMED } from '@back-office/matching';
import { randomInt } from 'node:crypto';
import { audit } from '../apps/audit-entries.js';
import { findNamedCustomer } from '../customers/named-customer.js';
import type { State } from '../state.js';

export class MemoryCards implements Cards {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async put(appId: number, desiredCard: DesiredCard): Promise<UpsertedCard | Refusal> {
    const { barcode, externalRef, customer: name } = desiredCard;
    return this.state.memory.transaction(() => {
      const { cards } = this.state;
      const customer = name && findNamedCustomer(this.state, appId, name);
      if (customer === undefined) return refuse('API.Customers.NotFound');
      const matcher = matcherOf(MATCHING['POST /int/cards'].card, cards.all(appId), TRIMMED['POST /int/cards'].card);
      const existingCard = matcher.find({ barcode, external_ref: externalRef });
      const card: Omit<Card, 'id'> = {
        ...(existingCard ?? this.newParts()),
        ...storedCardIdentifiers(desiredCard, existingCard),
        customer_id: customer?.id ?? existingCard?.customer_id ?? null,
      };
      for (const field of ['barcode', 'external_ref'] as const) {
        const holder = matcher.findHolder(field, card[field]);
        if (holder !== undefined && holder !== existingCard) return refuse(ALREADY_TAKEN, field);
      }
      const storedCard = existingCard ? { ...card, id: existingCard.id } : cards.insert(appId, card);
      if (existingCard) cards.put(appId, storedCard);
      audit(this.state, appId, this.clock.now(), cardEntries(existingCard, storedCard));
      return { card: storedCard, created: existingCard === undefined };
    });
  }

  private newParts(): Pick<Card, 'data_part' | 'time_part'> {
    const { dataPart, timePart } = newParts(this.clock.now(), randomInt);
    return { data_part: dataPart, time_part: timePart };
  }
}
