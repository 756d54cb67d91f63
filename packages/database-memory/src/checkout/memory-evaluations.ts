import { completeSettings } from '@back-office/apps';
import {
  EVALUATION_LIFETIME_HOURS,
  frozenBasket,
  type Basket,
  type EvaluatedBasket,
  type EvaluationQueries,
  type Evaluations,
} from '@back-office/checkout';
import { addHours, isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { priceItems } from '@back-office/proforma';
import { NO_APP_ID } from '../apps/memory-apps.js';
import { checkCurrency } from '../apps/app-currency.js';
import type { State } from '../state.js';
import type { StoredEvaluation } from './records.js';
import { lookUpBasket } from './basket-look-up.js';

export class MemoryEvaluations implements Evaluations, EvaluationQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async evaluate(appId: number, basket: Basket): Promise<EvaluatedBasket | Refusal> {
    return this.state.memory.transaction(() => evaluate(this.state, appId, basket, this.clock.now()));
  }

  async removeUnused(): Promise<boolean> {
    const now = this.clock.now();
    return this.state.memory.transaction(() => {
      const unused = this.state.apps.all(NO_APP_ID).flatMap((app) => {
        const { retention_days: days } = completeSettings(app).evaluation;
        const isUnused = (evaluation: StoredEvaluation) =>
          evaluation.consumed_at === null && evaluation.inserted_at < addHours(now, -24 * days);
        return this.state.evaluations
          .all(app.id)
          .filter(isUnused)
          .map(({ id }) => ({ appId: app.id, id }));
      });
      for (const { appId, id } of unused) this.state.evaluations.delete(appId, id);
      return unused.length > 0;
    });
  }

  async find(appId: number, id: number): Promise<EvaluatedBasket | undefined> {
    return this.state.evaluations.get(appId, id);
  }
}

function evaluate(state: State, appId: number, basket: Basket, now: Date): EvaluatedBasket | Refusal {
  checkCurrency(state, appId, basket.currency);
  const { buyer, warehouse, offers, variants } = lookUpBasket(state, appId, basket, now);
  if (basket.customer !== null && buyer === undefined) return refuse('API.Customers.NotFound');
  if (basket.warehouseCode !== null && warehouse === undefined) return refuse('API.Warehouses.NotFound');
  if (basket.shipmentMethodCode !== null && offers.shipment === null) return refuse('API.ShipmentMethods.NotFound');
  const pricedItems = priceItems(basket.items, variants, offers);
  if (isRefusal(pricedItems)) return pricedItems;
  return state.evaluations.insert(appId, {
    ...frozenBasket(basket, pricedItems),
    buyer: buyer ?? basket.guest,
    customer_id: buyer?.id ?? null,
    warehouse_id: warehouse?.id ?? null,
    inserted_at: now,
    expires_at: addHours(now, EVALUATION_LIFETIME_HOURS),
    consumed_at: null,
  });
}
