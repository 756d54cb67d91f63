import 'reflect-metadata';
import type { Database } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { RefundGateway } from '@back-office/proforma';
import { Container } from 'inversify';
import { AppAdministration, appRoutes, CachedTokens } from './apps/index.js';
import { attributeRoutes } from './attributes/index.js';
import { cardRoutes } from './cards/index.js';
import { productRoutes, verifyRoutes } from './catalogue/index.js';
import { checkoutRoutes } from './checkout/index.js';
import { consentRoutes } from './consents/index.js';
import { customerRoutes } from './customers/index.js';
import { deviceRoutes } from './devices/index.js';
import type { Route } from './http/route.js';
import { attendanceRoutes, locationRoutes } from './locations/index.js';
import { createLibraryParts, mediaRoutes, type LibraryTools } from './media/index.js';
import * as orders from './orders/index.js';
import * as proformas from './proformas/index.js';
import { sessionRoutes } from './sessions/index.js';
import { setUpRoutes } from './setup/index.js';
import { reconcileRoutes, stockListRoutes, stockRoutes, warehouseRoutes } from './stock/index.js';
import { TOKENS as T } from './tokens.js';

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}

export interface Adapters {
  readonly refunds: RefundGateway;
  /** Missing in commands that use no files. */
  readonly media?: LibraryTools | undefined;
}

function mediaOf({ media }: Adapters): LibraryTools {
  if (media === undefined) throw new Error('This process has not opened the store of files');
  return media;
}

/** Connects ports with adapters. Each service is a singleton, created on first use. */
export function containerOf(database: Database, adapters: Adapters, clock: Clock = new SystemClock()): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(T.Database).toConstantValue(database);
  container.bind(T.Library).toDynamicValue(() => createLibraryParts(database, clock, mediaOf(adapters)));
  container.bind(T.Clock).toConstantValue(clock);
  container.bind(T.RefundGateway).toConstantValue(adapters.refunds);
  container
    .bind(T.Apps)
    .toDynamicValue(() => new AppAdministration(database.apps, database.appQueries, database.accessTokens));
  container.bind(T.AccessTokens).toDynamicValue(() => new CachedTokens(database.accessTokenQueries, clock));
  bindProformas(container, database, clock);
  container.bind(T.Routes).toDynamicValue(() => routesOf(container, database, clock));
  return container;
}

function bindProformas(container: Container, database: Database, clock: Clock): void {
  container
    .bind(T.Refunds)
    .toDynamicValue(
      () =>
        new proformas.Refunds(
          database.proformaOrders,
          container.get(T.RefundGateway),
          database.refundQueue,
          clock,
          database.calls.assertOutsideTransaction,
        ),
    );
  container
    .bind(T.ProformaActions)
    .toDynamicValue(
      () =>
        new proformas.ProformaActions(
          database.proformaOrders,
          database.paymentMethods,
          container.get(T.Refunds),
          clock,
          database.calls.isResumed,
        ),
    );
  container
    .bind(T.ExpirySweep)
    .toDynamicValue(
      () =>
        new proformas.ExpirySweep(
          database.proformaOrders,
          container.get(T.ProformaActions),
          container.get(T.Apps),
          clock,
        ),
    );
}

function routesOf(container: Container, database: Database, clock: Clock): Route[] {
  const tokens = container.get(T.AccessTokens);
  const actions = container.get(T.ProformaActions);
  return [
    ...setUpRoutes(database.setUpRecords, database.setUpQueries),
    ...appRoutes(database.apps, database.appQueries, tokens),
    ...warehouseRoutes(database.warehouses, database.warehouseQueries),
    ...sessionRoutes(database.sessions, tokens, clock),
    ...productRoutes(database.products, database.productQueries),
    ...verifyRoutes(database.productQueries),
    ...attributeRoutes(database.attributes, database.attributeQueries),
    ...stockRoutes(database.stock, database.stockQueries),
    ...stockListRoutes(database.stockQueries),
    ...reconcileRoutes(database.stock),
    ...locationRoutes(database.locations),
    ...attendanceRoutes(database.attendances, database.attendanceQueries),
    ...customerRoutes(database.customers, database.customerQueries),
    ...deviceRoutes(database.devices),
    ...consentRoutes(database.consents, database.consentQueries, clock),
    ...cardRoutes(database.cards),
    ...checkoutRoutes(database.evaluations, database.evaluationQueries),
    ...proformas.proformaListRoutes(database.proformaQueries, database.customers, clock),
    ...proformas.proformaRoutes(actions, database.orderQueries, clock),
    ...proformas.proformaPaymentRoutes(actions, clock),
    ...proformas.proformaRefundRoutes(actions, clock),
    ...mediaRoutes(database, container.get(T.Library), clock),
    ...orders.importedOrderRoutes(database.importedOrders, database.orderQueries),
    ...orders.orderRoutes(
      database.orderQueries,
      new orders.OrderUpdates(database.orderChanges, container.get(T.Refunds), database.calls.isResumed),
    ),
  ];
}
