import type { SetUpQueries, SetUpRecords } from '@back-office/checkout';
import type { Route } from '../http/route.js';
import { SERVED_RESOURCES } from './resources.js';
import { resourceRoutes } from './setup.routes.js';

export function setUpRoutes(records: SetUpRecords, queries: SetUpQueries): Route[] {
  return SERVED_RESOURCES.flatMap((servedResource) => resourceRoutes(servedResource, records, queries));
}
