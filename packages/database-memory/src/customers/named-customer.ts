import type { Customer, CustomerIdentifier } from '@back-office/customers';
import type { State } from '../state.js';

export function findNamedCustomer({ customers }: State, appId: number, name: CustomerIdentifier): Customer | undefined {
  if (name.externalRef !== undefined)
    return customers.find(appId, (candidate) => candidate.external_ref === name.externalRef);
  const customer = customers.get(appId, name.id);
  return customer?.data_part === name.dataPart && customer.time_part === name.timePart ? customer : undefined;
}
