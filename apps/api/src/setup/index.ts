import type { Clock } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import type { Route } from '../http/route.js';
import { PAYMENT_METHODS } from './payment-methods.js';
import { PROMOTIONS } from './promotions.js';
import { resourceRoutes } from './setup.routes.js';
import { SHIPMENT_METHODS } from './shipment-methods.js';
import { TypeOrmSetUp } from './typeorm-set-up.js';
import { VOUCHERS } from './vouchers.js';

const RESOURCES = [PAYMENT_METHODS, PROMOTIONS, SHIPMENT_METHODS, VOUCHERS];

/** What an app sets up itself: a PUT and a GET for every kind of record. */
export function setUpRoutes(database: Database, clock: Clock): Route[] {
  return RESOURCES.flatMap((resource) => resourceRoutes(resource, new TypeOrmSetUp(resource, database, clock)));
}
