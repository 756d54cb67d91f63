import { ALREADY_TAKEN, newParts, refuse } from '@back-office/kernel';
import { randomInt } from 'node:crypto';

/**
 * A port of one's own, on the tables of a state. A method is one transaction: what it throws undoes its writes, and a
 * keyed call that is repeated gets what the first run returned.
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
  async put(appId, { barcode, externalRef, customer: name }) {
    return this.state.memory.transaction(() => {
      const { cards } = this.state;
      const customer = name && this.#customerNamed(appId, name);
      if (customer === undefined) return refuse('API.Customers.NotFound');
      const holder = externalRef === null ? undefined : cards.find(appId, (each) => each.external_ref === externalRef);
      const found = cards.find(appId, (each) => each.barcode === barcode) ?? holder;
      if (holder !== undefined && holder !== found) return refuse(ALREADY_TAKEN, 'external_ref');
      const card = {
        ...(found ?? this.#newParts()),
        barcode,
        external_ref: externalRef ?? found?.external_ref ?? null,
        customer_id: customer?.id ?? found?.customer_id ?? null,
      };
      if (found === undefined) return { card: cards.insert(appId, card), created: true };
      cards.put(appId, card);
      return { card, created: false };
    });
  }

  #customerNamed(appId, { externalRef, id, dataPart, timePart }) {
    const { customers } = this.state;
    if (externalRef !== undefined) return customers.find(appId, (each) => each.external_ref === externalRef);
    const found = customers.get(appId, id);
    return found?.data_part === dataPart && found.time_part === timePart ? found : undefined;
  }

  #newParts() {
    const { dataPart, timePart } = newParts(this.clock.now(), randomInt);
    return { data_part: dataPart, time_part: timePart };
  }
}
