import 'reflect-metadata';
import type { Database } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { RefundGateway } from '@back-office/proforma';
import { Container } from 'inversify';
import { accessTokenRoutes } from './access-tokens/index.js';
import { AppAdministration, appRoutes, CachedTokens, TokenUses } from './apps/index.js';
import { auditRoutes } from './audit/index.js';
import { attributeRoutes } from './attributes/index.js';
import { cardRoutes } from './cards/index.js';
import { productRoutes, verifyRoutes } from './catalogue/index.js';
import { checkoutRoutes } from './checkout/index.js';
import { consentRoutes } from './consents/index.js';
import { customerRoutes, personalDataRoutes } from './customers/index.js';
import { EventRecords, eventRoutes, EventWaits } from './events/index.js';
import { deviceRoutes } from './devices/index.js';
import type { Route } from './http/route.js';
import { attendanceRoutes, locationRoutes } from './locations/index.js';
import { createLibraryParts, mediaRoutes, uploadTokenRoutes, type LibraryTools } from './media/index.js';
import * as orders from './orders/index.js';
import * as proformas from './proformas/index.js';
import { sessionAdministrationRoutes, sessionRoutes } from './sessions/index.js';
import { setUpRoutes } from './setup/index.js';
import { reconcileRoutes, stockListRoutes, stockRoutes, warehouseRoutes } from './stock/index.js';
import { TOKENS as T } from './tokens.js';
import * as webhooks from './webhooks/index.js';

export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}

export interface Adapters {
  readonly refunds: RefundGateway;
  /** Absent in commands that use no files. */
  readonly media?: LibraryTools | undefined;
  readonly webhookNetworks?: readonly string[];
}

function mediaOf({ media }: Adapters): LibraryTools {
  if (media === undefined) throw new Error('This process has not opened the store of files');
  return media;
}

/** Connects ports with adapters. Each object is created once, on first use. */
export function containerOf(database: Database, adapters: Adapters, clock: Clock = new SystemClock()): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(T.Database).toConstantValue(database);
  container.bind(T.Library).toDynamicValue(() => createLibraryParts(database, clock, mediaOf(adapters)));
  container.bind(T.Clock).toConstantValue(clock);
  container.bind(T.RefundGateway).toConstantValue(adapters.refunds);
  container.bind(T.Apps).toDynamicValue(() => new AppAdministration(database, clock));
  container.bind(T.AccessTokens).toDynamicValue(() => new CachedTokens(database.accessTokenQueries, clock));
  container.bind(T.EventWaits).toDynamicValue(() => new EventWaits());
  container.bind(T.TokenUses).toDynamicValue(() => new TokenUses(database.tokenAdministration, clock));
  bindProformas(container, database, clock);
  bindWebhooks(container, database, adapters, clock);
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

function bindWebhooks(container: Container, database: Database, adapters: Adapters, clock: Clock): void {
  const { webhookNetworks = [] } = adapters;
  container
    .bind(T.WebhookSender)
    .toDynamicValue(() => new webhooks.HttpWebhookSender(new webhooks.Targets(webhookNetworks), () => clock.now()));
  container
    .bind(T.WebhookMessages)
    .toDynamicValue(() => new webhooks.WebhookMessages(new EventRecords(database, clock), clock));
  container.bind(T.WebhookDispatcher).toDynamicValue(() => {
    const { appQueries: apps, eventFeed: feed, webhookQueue: queue } = database;
    const ports = { apps, feed, queue, sender: container.get(T.WebhookSender) };
    return new webhooks.WebhookDispatcher(ports, container.get(T.WebhookMessages), clock);
  });
}

function webhookRoutesOf(
  container: Container,
  { webhookEndpoints, webhookDeliveries, auditLog }: Database,
  clock: Clock,
): Route[] {
  const sender = container.get(T.WebhookSender);
  const testMessage = new webhooks.TestMessage(container.get(T.WebhookMessages), sender, clock);
  return [
    ...webhooks.webhookEndpointRoutes({ endpoints: webhookEndpoints, sender, testMessage, auditLog, clock }),
    ...webhooks.webhookDeliveryRoutes(webhookDeliveries),
  ];
}

function routesOf(container: Container, database: Database, clock: Clock): Route[] {
  const tokens = container.get(T.AccessTokens);
  const actions = container.get(T.ProformaActions);
  return [
    ...setUpRoutes(database.setUpRecords, database.setUpQueries),
    ...appRoutes(database.apps, database.appQueries, tokens),
    ...accessTokenRoutes(container.get(T.Apps), database.tokenAdministration, tokens, clock),
    ...auditRoutes(database.auditLog),
    ...warehouseRoutes(database.warehouses, database.warehouseQueries),
    ...sessionRoutes(database.sessions, tokens, clock),
    ...sessionAdministrationRoutes(database.sessionAdministration, tokens, clock),
    ...productRoutes(database.products, database.productQueries),
    ...verifyRoutes(database.productQueries),
    ...attributeRoutes(database.attributes, database.attributeQueries),
    ...stockRoutes(database.stock, database.stockQueries),
    ...stockListRoutes(database.stockQueries),
    ...reconcileRoutes(database.stock),
    ...locationRoutes(database.locations),
    ...attendanceRoutes(database.attendances, database.attendanceQueries),
    ...customerRoutes(database.customers, database.customerQueries),
    ...personalDataRoutes({ ...database, tokens }),
    ...deviceRoutes(database.devices),
    ...eventRoutes(database.eventFeed, new EventRecords(database, clock), container.get(T.EventWaits)),
    ...webhookRoutesOf(container, database, clock),
    ...consentRoutes(database.consents, database.consentQueries, clock),
    ...cardRoutes(database.cards),
    ...checkoutRoutes(database.evaluations, database.evaluationQueries),
    ...proformas.proformaListRoutes(database.proformaQueries, database.customers, clock),
    ...proformas.proformaRoutes(actions, database.orderQueries, clock),
    ...proformas.proformaPaymentRoutes(actions, clock),
    ...proformas.proformaRefundRoutes(actions, clock),
    ...uploadTokenRoutes(database.accessTokens, database.uploadPresetQueries, clock),
    ...mediaRoutes(database, container.get(T.Library), clock),
    ...orders.importedOrderRoutes(database.importedOrders, database.orderQueries),
    ...orders.orderRoutes(
      database.orderQueries,
      new orders.OrderUpdates(database.orderChanges, container.get(T.Refunds), database.calls.isResumed),
    ),
  ];
}
