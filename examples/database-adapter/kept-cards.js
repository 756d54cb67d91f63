import { ALREADY_TAKEN, newParts, refuse } from '@back-office/kernel';
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
  async put(appId, { barcode, externalRef, customer: identifiers }) {
    return this.state.memory.transaction(() => {
      const { cards } = this.state;
      const customer = identifiers && this.#findCustomer(appId, identifiers);
      if (customer === undefined) return refuse('API.Customers.NotFound');
      const cardOfReference =
        externalRef === null ? undefined : cards.find(appId, (row) => row.external_ref === externalRef);
      const existingCard = cards.find(appId, (row) => row.barcode === barcode) ?? cardOfReference;
      if (cardOfReference !== undefined && cardOfReference !== existingCard)
        return refuse(ALREADY_TAKEN, 'external_ref');
      const card = {
        ...(existingCard ?? this.#newParts()),
        barcode,
        external_ref: externalRef ?? existingCard?.external_ref ?? null,
        customer_id: customer?.id ?? existingCard?.customer_id ?? null,
      };
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
