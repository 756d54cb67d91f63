import type { Customer, CustomerIdentifier } from '@back-office/customers';
import type { State } from '../state.js';

/** `undefined` when the app has no such customer. */
export function customerNamed({ customers }: State, appId: number, name: CustomerIdentifier): Customer | undefined {
  if (name.externalRef !== undefined) return customers.find(appId, (each) => each.external_ref === name.externalRef);
  const found = customers.get(appId, name.id);
  return found?.data_part === name.dataPart && found.time_part === name.timePart ? found : undefined;
}
