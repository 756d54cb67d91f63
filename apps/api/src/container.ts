import 'reflect-metadata';
import type { Clock } from '@back-office/kernel';
import type { RefundGateway } from '@back-office/proforma';
import { Container } from 'inversify';
import { appRoutes, RememberedTokens, TypeOrmApps } from './apps/index.js';
import { attributeRoutes, TypeOrmAttributes } from './attributes/index.js';
import { cardRoutes, TypeOrmCards } from './cards/index.js';
import { productRoutes, TypeOrmProducts, verifyRoutes } from './catalogue/index.js';
import { checkoutRoutes, TypeOrmEvaluations } from './checkout/index.js';
import { consentRoutes, TypeOrmConsents } from './consents/index.js';
import { customerRoutes, TypeOrmCustomers } from './customers/index.js';
import type { Database } from './database/database.js';
import { deviceRoutes, TypeOrmDevices } from './devices/index.js';
import { TypeOrmKeyedCalls } from './idempotency/index.js';
import { attendanceRoutes, locationRoutes, TypeOrmAttendances, TypeOrmLocations } from './locations/index.js';
import { libraryParts, mediaRoutes, type LibraryTools } from './media/index.js';
import * as orders from './orders/index.js';
import * as proformas from './proformas/index.js';
import { sessionRoutes, TypeOrmSessions } from './sessions/index.js';
import { setUpRoutes } from './setup/index.js';
import {
  reconcileRoutes,
  stockListRoutes,
  stockRoutes,
  TypeOrmStocks,
  TypeOrmWarehouses,
  warehouseRoutes,
} from './stock/index.js';
import { TOKENS as T } from './tokens.js';

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}

/** Which adapters an installation has chosen. */
export interface Adapters {
  readonly refunds: RefundGateway;
  /** Absent where no file is touched. */
  readonly media?: LibraryTools | undefined;
}

function mediaOf({ media }: Adapters): LibraryTools {
  if (media === undefined) throw new Error('This process has not opened the store of files');
  return media;
}

function baseOf(adapters: Adapters): string {
  return mediaOf(adapters).library.base;
}

/** Wires ports to adapters. Everything is made once, at its first use, from what its factory names. */
export function containerOf(database: Database, adapters: Adapters, clock: Clock = new SystemClock()): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  const get = container.get.bind(container);
  container.bind(T.Database).toConstantValue(database);
  container.bind(T.Library).toDynamicValue(() => libraryParts(database, clock, mediaOf(adapters)));
  container.bind(T.Clock).toConstantValue(clock);
  container.bind(T.RefundGateway).toConstantValue(adapters.refunds);
  container.bind(T.ProformaOrders).toDynamicValue(() => new proformas.TypeOrmProformaOrders(database, clock));
  container.bind(T.Apps).toDynamicValue(() => new TypeOrmApps(database, clock));
  container.bind(T.AccessTokens).toDynamicValue(() => new RememberedTokens(get(T.Apps), clock));
  container.bind(T.KeyedCalls).toDynamicValue(() => new TypeOrmKeyedCalls(database, clock));
  container.bind(T.Warehouses).toDynamicValue(() => new TypeOrmWarehouses(database, clock));
  container.bind(T.Stocks).toDynamicValue(() => new TypeOrmStocks(database, clock));
  container.bind(T.Products).toDynamicValue(() => new TypeOrmProducts(database, clock, baseOf(adapters)));
  container.bind(T.Customers).toDynamicValue(() => new TypeOrmCustomers(database, clock));
  container.bind(T.Sessions).toDynamicValue(() => new TypeOrmSessions(database, clock));
  container.bind(T.Evaluations).toDynamicValue(() => new TypeOrmEvaluations(database, clock));
  container.bind(T.Orders).toDynamicValue(() => new orders.TypeOrmOrders(database));
  container.bind(T.PaymentMethods).toDynamicValue(() => new proformas.TypeOrmPaymentMethods(database, clock));
  container.bind(T.RefundQueue).toDynamicValue(() => new proformas.TypeOrmRefundQueue(database));
  container
    .bind(T.Refunds)
    .toDynamicValue(
      () => new proformas.Refunds(get(T.ProformaOrders), get(T.RefundGateway), get(T.RefundQueue), clock),
    );
  container.bind(T.OrderRefunds).toDynamicValue(() => new proformas.TypeOrmOrderRefunds(get(T.Refunds), clock));
  container
    .bind(T.ProformaActions)
    .toDynamicValue(
      () => new proformas.ProformaActions(get(T.ProformaOrders), get(T.PaymentMethods), get(T.Refunds), clock),
    );
  container
    .bind(T.ExpirySweep)
    .toDynamicValue(() => new proformas.ExpirySweep(get(T.ProformaOrders), get(T.ProformaActions), get(T.Apps), clock));
  container
    .bind(T.Routes)
    .toDynamicValue(() => [
      ...setUpRoutes(database, clock),
      ...appRoutes(get(T.Apps), get(T.AccessTokens)),
      ...warehouseRoutes(get(T.Warehouses), database),
      ...sessionRoutes(get(T.Sessions), get(T.AccessTokens), clock),
      ...productRoutes(get(T.Products), database),
      ...verifyRoutes(database),
      ...attributeRoutes(new TypeOrmAttributes(database, clock)),
      ...stockRoutes(get(T.Stocks), database),
      ...stockListRoutes(database),
      ...reconcileRoutes(get(T.Stocks)),
      ...locationRoutes(new TypeOrmLocations(database, clock, baseOf(adapters))),
      ...attendanceRoutes(new TypeOrmAttendances(database, clock)),
      ...customerRoutes(get(T.Customers), database),
      ...deviceRoutes(new TypeOrmDevices(database, clock)),
      ...consentRoutes(new TypeOrmConsents(database, clock), clock),
      ...cardRoutes(new TypeOrmCards(database, clock)),
      ...checkoutRoutes(get(T.Evaluations)),
      ...proformas.proformaListRoutes(database, clock),
      ...proformas.proformaRoutes(get(T.ProformaActions), get(T.Orders), clock),
      ...proformas.proformaPaymentRoutes(get(T.ProformaActions), clock),
      ...proformas.proformaRefundRoutes(get(T.ProformaActions), clock),
      ...mediaRoutes(get(T.Library)),
      ...orders.importedOrderRoutes(new orders.TypeOrmImportedOrders(database, clock), get(T.Orders)),
      ...orders.orderRoutes(
        get(T.Orders),
        new orders.TypeOrmOrderUpdates(database, clock, get(T.OrderRefunds)),
        database,
      ),
    ]);
  return container;
}
