import type { App, AuditRecord } from '@back-office/apps';
import type { StoredChange } from '@back-office/consent';
import type { Card, Customer } from '@back-office/customers';
import type { Location } from '@back-office/locations';
import type { Proforma } from '@back-office/proforma';
import type { AttributeDefinition } from '@back-office/catalogue';
import type { Usage } from './media/usage.js';
import type {
  ProductAttribute,
  ProductImage,
  ProductSales,
  StoredProduct,
  StoredVariant,
} from './catalogue/records.js';
import type {
  StockMovement,
  StockMovementLine,
  StockReference,
  StockReservation,
  StoredStock,
  StoredWarehouse,
} from './stock/records.js';
import type { AccessTokenRecord } from './apps/access-token-record.js';
import type {
  StoredEvaluation,
  StoredPaymentMethod,
  StoredPromotion,
  StoredShipmentMethod,
  StoredVoucher,
} from './checkout/records.js';
import type { DeviceRecord } from './devices/device-record.js';
import type { EventRecord, FeedRecord } from './events/records.js';
import type { KeyedCallRecord } from './keyed-calls/keyed-call-record.js';
import { Ids } from './ids.js';
import type { AttendanceRecord } from './locations/attendance-record.js';
import type {
  DailyJobRecord,
  FileRecord,
  FolderRecord,
  JobRecord,
  PageRecord,
  PurgedKeyRecord,
  ReceiptRecord,
  RenditionRecord,
  RetiredRenditionRecord,
  UploadPresetRecord,
  VersionRecord,
} from './media/records.js';
import { Memory, Table, type Stored } from './memory.js';
import type { StoredOrder } from './orders/records.js';
import type { LoyaltyBooking, QueuedRefund } from './proformas/records.js';
import type { DeliveryRecord, EndpointRecord } from './webhooks/records.js';

interface AppCreation extends Stored {
  readonly insertedAt: Date;
}

/** Declares `memory` in a base class, because the field initializers of {@link State} need it. */
class MemoryHolder {
  constructor(readonly memory: Memory = new Memory()) {}
}

export class State extends MemoryHolder {
  readonly accessTokens = new Table<AccessTokenRecord>(this.memory);
  readonly apps = new Table<App>(this.memory);
  readonly appCreations = new Table<AppCreation>(this.memory);
  readonly auditLog = new Table<AuditRecord>(this.memory);
  readonly attendances = new Table<AttendanceRecord>(this.memory);
  readonly cards = new Table<Card>(this.memory);
  readonly consentChanges = new Table<StoredChange>(this.memory);
  readonly customers = new Table<Customer>(this.memory);
  readonly devices = new Table<DeviceRecord>(this.memory);
  readonly keyedCalls = new Table<KeyedCallRecord>(this.memory);
  readonly locations = new Table<Location>(this.memory);
  readonly events = new Table<EventRecord>(this.memory);
  readonly eventFeeds = new Table<FeedRecord>(this.memory);
  readonly evaluations = new Table<StoredEvaluation>(this.memory);
  readonly loyaltyBookings = new Table<LoyaltyBooking>(this.memory);
  readonly orders = new Table<StoredOrder>(this.memory);
  readonly paymentMethods = new Table<StoredPaymentMethod>(this.memory);
  readonly proformas = new Table<Proforma>(this.memory);
  readonly promotions = new Table<StoredPromotion>(this.memory);
  readonly refunds = new Table<QueuedRefund>(this.memory);
  readonly shipmentMethods = new Table<StoredShipmentMethod>(this.memory);
  readonly vouchers = new Table<StoredVoucher>(this.memory);
  readonly productImages = new Table<ProductImage>(this.memory);
  readonly attributeDefinitions = new Table<AttributeDefinition>(this.memory);
  readonly productAttributes = new Table<ProductAttribute>(this.memory);
  readonly usages = new Table<Usage>(this.memory);
  readonly files = new Table<FileRecord | ReceiptRecord>(this.memory);
  readonly folders = new Table<FolderRecord>(this.memory);
  readonly renditions = new Table<RenditionRecord>(this.memory);
  readonly retiredRenditions = new Table<RetiredRenditionRecord>(this.memory);
  readonly pages = new Table<PageRecord>(this.memory);
  readonly fileVersions = new Table<VersionRecord>(this.memory);
  readonly purgedKeys = new Table<PurgedKeyRecord>(this.memory);
  readonly jobs = new Table<JobRecord>(this.memory);
  readonly dailyJobs = new Table<DailyJobRecord>(this.memory);
  readonly uploadPresets = new Table<UploadPresetRecord>(this.memory);
  readonly products = new Table<StoredProduct>(this.memory);
  readonly variants = new Table<StoredVariant>(this.memory);
  readonly productSales = new Table<ProductSales>(this.memory);
  readonly warehouses = new Table<StoredWarehouse>(this.memory);
  readonly stocks = new Table<StoredStock>(this.memory);
  readonly stockMovements = new Table<StockMovement>(this.memory);
  readonly stockMovementLines = new Table<StockMovementLine>(this.memory);
  readonly stockReferences = new Table<StockReference>(this.memory);
  readonly stockReservations = new Table<StockReservation>(this.memory);
  readonly webhookDeliveries = new Table<DeliveryRecord>(this.memory);
  readonly webhookEndpoints = new Table<EndpointRecord>(this.memory);

  readonly orderItemIds = new Ids();
  readonly paymentIds = new Ids();
  readonly proformaItemIds = new Ids();

  readonly pricedTables: readonly Table<Stored>[] = [
    this.products,
    this.promotions,
    this.shipmentMethods,
    this.vouchers,
    this.evaluations,
  ];
}
