import type { Basket } from '@back-office/checkout';
import type { Customer } from '@back-office/customers';
import type { Buyer } from '@back-office/kernel';
import {
  requestVouchers,
  type CatalogueVariant,
  type Offers,
  type PromotionRule,
  type RequestedVoucher,
  type ShipmentOffer,
} from '@back-office/proforma';
import { offeredVariants } from '../catalogue/offered-variants.js';
import { findNamedCustomer } from '../customers/named-customer.js';
import type { State } from '../state.js';
import type { StoredWarehouse } from '../stock/records.js';
import type { StoredPromotion } from './records.js';
import { availableOf } from './vouchers.js';

interface BasketRecords {
  readonly buyer: (Buyer & { readonly id: number }) | undefined;
  readonly warehouse: StoredWarehouse | undefined;
  readonly variants: readonly CatalogueVariant[];
  readonly offers: Offers;
}

export function lookUpBasket(state: State, appId: number, basket: Basket, now: Date): BasketRecords {
  const customer = basket.customer === null ? undefined : findNamedCustomer(state, appId, basket.customer);
  const { coupons, warehouseCode, shipmentMethodCode } = basket;
  return {
    buyer: customer && buyerOf(customer),
    warehouse: warehouseCode === null ? undefined : namedWarehouse(state, appId, warehouseCode),
    variants: offeredVariants(state, appId, () => true),
    offers: {
      coupons,
      shipment: shipmentOf(state, appId, shipmentMethodCode),
      now,
      rules: state.promotions.all(appId).map(ruleOf),
      vouchers: requestVouchers(basket.vouchers, availableVouchers(state, appId, customer?.id ?? null, now)),
    },
  };
}

function namedWarehouse({ warehouses }: State, appId: number, code: string): StoredWarehouse | undefined {
  return warehouses.find(appId, (warehouse) => warehouse.code === code && warehouse.deleted_at === null);
}

function buyerOf(customer: Customer): Buyer & { readonly id: number } {
  const { id, data_part: dataPart, time_part: timePart, email, phone } = customer;
  return { id, dataPart, timePart, email, firstName: customer.first_name, lastName: customer.last_name, phone };
}

function shipmentOf(state: State, appId: number, code: string | null): ShipmentOffer | null {
  const method = state.shipmentMethods.find(appId, (candidate) => candidate.code === code);
  if (method === undefined) return null;
  const { name, price, vat_rate: vatRate, free_from: freeFrom } = method;
  return { name, price, vatRate, freeFrom };
}

function ruleOf(row: StoredPromotion): PromotionRule {
  return {
    code: row.code,
    name: row.name,
    kind: row.kind,
    value: row.value,
    priority: row.priority,
    active: row.active,
    buyQty: row.buy_qty ?? 0,
    getQty: row.get_qty ?? 0,
    variantCodes: row.variant_codes.map((code) => code.trim()),
    minQty: row.min_qty,
    minAmount: row.min_amount,
    couponCode: row.coupon_code,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
  };
}

function availableVouchers(state: State, appId: number, customerId: number | null, now: Date): RequestedVoucher[] {
  return state.vouchers
    .all(appId)
    .map((voucher) => ({ id: voucher.id, code: voucher.code, available: availableOf(voucher, customerId, now) }));
}
