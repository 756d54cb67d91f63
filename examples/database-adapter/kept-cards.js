import { storedCardIdentifiers } from '@back-office/customers';
import { ALREADY_TAKEN, newParts, refuse } from '@back-office/kernel';
import { matcherOf, MATCHING, TRIMMED } from '@back-office/matching';
import { randomInt } from 'node:crypto';

/**
 * Implements the port on shared tables. Each method is one transaction: an error undoes its writes, and a repeated keyed
 * call gets the result of the first run.
 * @implements {Cards}
 * @typedef {import('@back-office/customers').Cards} Cards
 */
export class KeptCards {
  /**
   * @param {import('./kept-state.js').KeptState} state
   * @param {import('@back-office/kernel').Clock} clock
   */
  constructor(state, clock) {
    this.state = state;
    this.clock = clock;
  }

  /** @type {Cards['put']} */
  async put(appId, desiredCard) {
    const { barcode, externalRef, customer: identifiers } = desiredCard;
    return this.state.memory.transaction(() => {
      const { cards } = this.state;
      const customer = identifiers && this.#findCustomer(appId, identifiers);
      if (customer === undefined) return refuse('API.Customers.NotFound');
      const matcher = matcherOf(MATCHING['POST /int/cards'].card, cards.all(appId), TRIMMED['POST /int/cards'].card);
      const existingCard = matcher.find({ barcode, external_ref: externalRef });
      const card = {
        ...(existingCard ?? this.#newParts()),
        ...storedCardIdentifiers(desiredCard, existingCard),
        customer_id: customer?.id ?? existingCard?.customer_id ?? null,
      };
      for (const field of ['barcode', 'external_ref']) {
        const holder = matcher.findHolder(field, card[field]);
        if (holder !== undefined && holder !== existingCard) return refuse(ALREADY_TAKEN, field);
      }
      if (existingCard === undefined) return { card: cards.insert(appId, card), created: true };
      cards.put(appId, card);
      return { card, created: false };
    });
  }

  #findCustomer(appId, { externalRef, id, dataPart, timePart }) {
    const { customers } = this.state;
    if (externalRef !== undefined) return customers.find(appId, (row) => row.external_ref === externalRef);
    const customer = customers.get(appId, id);
    return customer?.data_part === dataPart && customer.time_part === timePart ? customer : undefined;
  }

  #newParts() {
    const { dataPart, timePart } = newParts(this.clock.now(), randomInt);
    return { data_part: dataPart, time_part: timePart };
  }
}
