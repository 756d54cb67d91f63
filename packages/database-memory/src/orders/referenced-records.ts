import type { ImportedOrder, ImportedVariant, ReferencedRecords } from '@back-office/orders';
import { offeredVariants } from '../catalogue/offered-variants.js';
import { findNamedCustomer } from '../customers/named-customer.js';
import type { State } from '../state.js';

export function referencedRecords(state: State, appId: number, order: ImportedOrder): ReferencedRecords {
  return {
    currency: order.currency,
    customer: order.customer && (findNamedCustomer(state, appId, order.customer) ?? null),
    location_id: locationId(state, appId, order.locationCode),
    variants: variantsOf(state, appId),
    methods: state.paymentMethods.all(appId),
  };
}

function locationId({ locations }: State, appId: number, code: string | null): number | null {
  return code === null ? null : (locations.find(appId, (location) => location.code === code)?.id ?? null);
}

function variantsOf(state: State, appId: number): ImportedVariant[] {
  return offeredVariants(state, appId, () => true).map(({ productId, vatRate, ...variant }) => ({
    ...variant,
    product_id: productId,
    vat_rate: vatRate,
  }));
}
