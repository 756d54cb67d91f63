import type { Calls, Database, DatabaseOptions } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import { SqlAccessTokens } from './apps/sql-access-tokens.js';
import { SqlTokenAdministration } from './apps/sql-token-administration.js';
import { SqlAuditLog } from './apps/sql-audit-log.js';
import { SqlApps } from './apps/sql-apps.js';
import { SqlCards } from './cards/sql-cards.js';
import { SqlAttributeQueries } from './catalogue/sql-attribute-queries.js';
import { SqlAttributes } from './catalogue/sql-attributes.js';
import { SqlProductQueries } from './catalogue/sql-product-queries.js';
import { SqlProducts } from './catalogue/sql-products.js';
import { SqlSetUpRecords } from './checkout/sql-set-up-records.js';
import { SqlEvaluations } from './checkout/sql-evaluations.js';
import { SqlConsents } from './consents/sql-consents.js';
import { SqlCustomerQueries } from './customers/sql-customer-queries.js';
import { SqlPersonalData } from './customers/sql-personal-data.js';
import { SqlPersonalDataExport } from './customers/sql-personal-data-export.js';
import { TypeOrmCustomers } from './customers/typeorm-customers.js';
import { openJobPool, type ConnectionTarget } from './connection/data-source.js';
import { SqlDevices } from './devices/sql-devices.js';
import { SqlEventFeed } from './events/sql-event-feed.js';
import { SqlKeyedCalls } from './idempotency/sql-keyed-calls.js';
import { SqlAttendances } from './locations/sql-attendances.js';
import { SqlLocations } from './locations/sql-locations.js';
import { GraphileJobQueue } from './media/processing/graphile-job-queue.js';
import { mediaPortsOf } from './media/media-ports.js';
import { SqlImportedOrders } from './orders/sql-imported-orders.js';
import { SqlOrderChanges } from './orders/sql-order-changes.js';
import { SqlOrderQueries } from './orders/sql-order-queries.js';
import type { PublicLibrary } from '@back-office/media';
import { PendingCondition } from './connection/pending-condition.js';
import { assertOutsideTransaction, type Postgres } from './connection/postgres.js';
import { trackWrites } from './connection/call-writes.js';
import { TransactionClock } from './connection/transaction-clock.js';
import { runInContext, WriteOnce } from './connection/write-once.js';
import { SqlPaymentMethods } from './proformas/sql-payment-methods.js';
import { SqlProformaOrders } from './proformas/sql-proforma-orders.js';
import { SqlProformaQueries } from './proformas/sql-proforma-queries.js';
import { SqlRefundQueue } from './proformas/sql-refund-queue.js';
import { SqlBacklog } from './sql-backlog.js';
import { SqlSessionAdministration } from './sessions/sql-session-administration.js';
import { SqlSessions } from './sessions/sql-sessions.js';
import { SqlStockQueries } from './stock/sql-stock-queries.js';
import { SqlStock } from './stock/sql-stock.js';
import { SqlWarehouses } from './stock/sql-warehouses.js';
import { SqlWarehouseQueries } from './stock/sql-warehouse-queries.js';
import { SqlWebhookDeliveries } from './webhooks/sql-webhook-deliveries.js';
import { SqlWebhookEndpoints } from './webhooks/sql-webhook-endpoints.js';
import { SqlWebhookQueue } from './webhooks/sql-webhook-queue.js';

export type PortOptions = Pick<DatabaseOptions, 'clock' | 'publicBase' | 'isPublished'>;

export function portsOf(postgres: Postgres, connection: ConnectionTarget, portOptions: PortOptions): Database {
  const clock = new TransactionClock(portOptions.clock);
  const options = { ...portOptions, clock };
  const accessTokens = new SqlAccessTokens(postgres, clock);
  const apps = new SqlApps(postgres, clock);
  const consents = new SqlConsents(postgres, clock);
  const setUp = new SqlSetUpRecords(postgres, clock);
  return {
    calls: POSTGRES_CALLS,
    health: postgres,
    backlog: new SqlBacklog(postgres),
    jobQueue: (maxConnections) => new GraphileJobQueue(openJobPool(connection, maxConnections)),
    accessTokens,
    accessTokenQueries: accessTokens,
    apps,
    appQueries: apps,
    auditLog: new SqlAuditLog(postgres, clock),
    cards: new SqlCards(postgres, clock),
    consents,
    consentQueries: consents,
    customers: new TypeOrmCustomers(postgres, clock),
    customerQueries: new SqlCustomerQueries(postgres),
    devices: new SqlDevices(postgres, clock),
    keyedCalls: new SqlKeyedCalls(postgres, clock),
    personalData: new SqlPersonalData(postgres, clock),
    personalDataQueries: new SqlPersonalDataExport(postgres),
    sessions: new SqlSessions(postgres, clock),
    sessionAdministration: new SqlSessionAdministration(postgres, clock),
    tokenAdministration: new SqlTokenAdministration(postgres, clock),
    setUpRecords: setUp,
    setUpQueries: setUp,
    ...eventPortsOf(postgres, clock),
    ...cataloguePortsOf(postgres, options),
    ...locationPortsOf(postgres, options),
    ...stockPortsOf(postgres, clock),
    ...salesPortsOf(postgres, clock),
    ...mediaPortsOf(postgres, clock, libraryOf(options)),
  };
}

function eventPortsOf(postgres: Postgres, clock: Clock) {
  const eventFeed = new SqlEventFeed(postgres, clock);
  return {
    eventFeed,
    webhookDeliveries: new SqlWebhookDeliveries(postgres, clock),
    webhookEndpoints: new SqlWebhookEndpoints(postgres, eventFeed, clock),
    webhookQueue: new SqlWebhookQueue(postgres, clock),
  };
}

function cataloguePortsOf(postgres: Postgres, { clock, publicBase }: PortOptions) {
  return {
    attributes: new SqlAttributes(postgres, clock),
    attributeQueries: new SqlAttributeQueries(postgres),
    products: new SqlProducts(postgres, clock, publicBase),
    productQueries: new SqlProductQueries(postgres),
  };
}

function locationPortsOf(postgres: Postgres, { clock, publicBase }: PortOptions) {
  const attendances = new SqlAttendances(postgres, clock);
  return { attendances, attendanceQueries: attendances, locations: new SqlLocations(postgres, clock, publicBase) };
}

function stockPortsOf(postgres: Postgres, clock: Clock) {
  return {
    stock: new SqlStock(postgres, clock),
    stockQueries: new SqlStockQueries(postgres),
    warehouses: new SqlWarehouses(postgres, clock),
    warehouseQueries: new SqlWarehouseQueries(postgres),
  };
}

function salesPortsOf(postgres: Postgres, clock: Clock) {
  const evaluations = new SqlEvaluations(postgres, clock);
  return {
    evaluations,
    evaluationQueries: evaluations,
    importedOrders: new SqlImportedOrders(postgres, clock),
    orderChanges: new SqlOrderChanges(postgres, clock),
    orderQueries: new SqlOrderQueries(postgres),
    paymentMethods: new SqlPaymentMethods(postgres, clock),
    proformaOrders: new SqlProformaOrders(postgres, clock),
    proformaQueries: new SqlProformaQueries(postgres),
    refundQueue: new SqlRefundQueue(postgres),
  };
}

const POSTGRES_CALLS: Calls = {
  runAs: (actor, work) => runInContext({ actor }, work),
  runFor: (party, work) => runInContext({ party }, work),
  track: trackWrites,
  runIf: (condition, work) => new PendingCondition(condition).run(work),
  isResumed: () => WriteOnce.isResumed(),
  assertOutsideTransaction,
};

function libraryOf({ publicBase, isPublished }: PortOptions): PublicLibrary {
  return {
    get base() {
      return publicBase();
    },
    get isPublished() {
      return isPublished();
    },
  };
}
