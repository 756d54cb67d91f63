import type { SetUpQueries, SetUpRecords } from '@back-office/checkout';
import type { Route } from '../http/route.js';
import { SERVED_RESOURCES, VOUCHERS } from './resources.js';
import { presenterOf, resourceRoutes, type RecordPresenter } from './setup.routes.js';

export const VOUCHER: RecordPresenter = presenterOf(VOUCHERS);

export function setUpRoutes(records: SetUpRecords, queries: SetUpQueries): Route[] {
  return SERVED_RESOURCES.flatMap((servedResource) => resourceRoutes(servedResource, records, queries));
}
