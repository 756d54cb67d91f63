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
import { checkCurrency } from '../apps/app-currency.js';
import type { State } from '../state.js';
import { lookUpBasket } from './basket-look-up.js';

export class MemoryEvaluations implements Evaluations, EvaluationQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async evaluate(appId: number, basket: Basket): Promise<EvaluatedBasket | Refusal> {
    return this.state.memory.transaction(() => evaluate(this.state, appId, basket, this.clock.now()));
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
