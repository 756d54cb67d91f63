import type {
  AccessTokenQueries,
  AccessTokens,
  AppQueries,
  AuditLog,
  Apps,
  KeyedCalls,
  SessionAdministration,
  Sessions,
  TokenAdministration,
} from '@back-office/apps';
import type { AttributeQueries, Attributes, ProductQueries, Products } from '@back-office/catalogue';
import type { EvaluationQueries, Evaluations, SetUpQueries, SetUpRecords } from '@back-office/checkout';
import type { ConsentQueries, Consents, Devices } from '@back-office/consent';
import type { Cards, CustomerQueries, Customers, PersonalData, PersonalDataQueries } from '@back-office/customers';
import type { EventFeed, WebhookDeliveries, WebhookEndpoints, WebhookQueue } from '@back-office/events';
import type { AttendanceQueries, Attendances, Locations } from '@back-office/locations';
import type { ImportedOrders, OrderChanges, OrderQueries } from '@back-office/orders';
import type { PaymentMethods, ProformaOrders, ProformaQueries, RefundQueue } from '@back-office/proforma';
import type { Stock, StockQueries, WarehouseQueries, Warehouses } from '@back-office/stock';
import type { JobQueue, MediaPorts } from '@back-office/media';
import type { Backlog } from './backlog.js';
import type { Calls } from './calls.js';
import type { DatabaseHealth } from './health.js';

export interface Database extends MediaPorts {
  readonly calls: Calls;
  readonly health: DatabaseHealth;
  readonly backlog: Backlog;
  /** Opens the queue of background jobs with at most `maxConnections` connections of its own. */
  jobQueue(maxConnections: number): JobQueue;
  readonly accessTokens: AccessTokens;
  readonly accessTokenQueries: AccessTokenQueries;
  readonly apps: Apps;
  readonly appQueries: AppQueries;
  readonly auditLog: AuditLog;
  readonly attendances: Attendances;
  readonly attendanceQueries: AttendanceQueries;
  readonly attributes: Attributes;
  readonly attributeQueries: AttributeQueries;
  readonly cards: Cards;
  readonly consents: Consents;
  readonly consentQueries: ConsentQueries;
  readonly customers: Customers;
  readonly customerQueries: CustomerQueries;
  readonly devices: Devices;
  readonly eventFeed: EventFeed;
  readonly keyedCalls: KeyedCalls;
  readonly locations: Locations;
  readonly personalData: PersonalData;
  readonly personalDataQueries: PersonalDataQueries;
  readonly products: Products;
  readonly productQueries: ProductQueries;
  readonly sessionAdministration: SessionAdministration;
  readonly sessions: Sessions;
  readonly tokenAdministration: TokenAdministration;
  readonly stock: Stock;
  readonly stockQueries: StockQueries;
  readonly warehouses: Warehouses;
  readonly warehouseQueries: WarehouseQueries;
  readonly evaluations: Evaluations;
  readonly evaluationQueries: EvaluationQueries;
  readonly setUpRecords: SetUpRecords;
  readonly setUpQueries: SetUpQueries;
  readonly importedOrders: ImportedOrders;
  readonly orderChanges: OrderChanges;
  readonly orderQueries: OrderQueries;
  readonly paymentMethods: PaymentMethods;
  readonly proformaOrders: ProformaOrders;
  readonly proformaQueries: ProformaQueries;
  readonly refundQueue: RefundQueue;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhookQueue: WebhookQueue;
}
