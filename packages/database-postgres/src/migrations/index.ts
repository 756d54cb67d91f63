import type { MigrationInterface } from 'typeorm';
import { MainPath1763700000001 } from './0001-main-path.js';
import { ProformasInFull1763700000002 } from './0002-proformas-in-full.js';
import { CatalogueInFull1763700000003 } from './0003-catalogue-in-full.js';
import { Media1763700000004 } from './0004-media.js';
import { PeopleAndSessions1763700000005 } from './0005-people-and-sessions.js';
import { MediaObjects1763700000006 } from './0006-media-objects.js';
import { ShippedOrders1763700000007 } from './0007-shipped-orders.js';
import { ConsentAndDevices1763700000008 } from './0008-consent-and-devices.js';
import { ProformasByApp1763700000009 } from './0009-proformas-by-app.js';
import { WaitingFiles1763700000010 } from './0010-waiting-files.js';
import { HiddenFiles1763700000011 } from './0011-hidden-files.js';
import { EarlyStatistics1763700000012 } from './0012-early-statistics.js';
import { ReturnedPoints1763700000013 } from './0013-returned-points.js';
import { SignsInSearch1763700000014 } from './0014-signs-in-search.js';
import { ListedRenditions1763700000015 } from './0015-listed-renditions.js';
import { RefundKeys1763700000016 } from './0016-refund-keys.js';
import { TokenScopes1763700000017 } from './0017-token-scopes.js';
import { RecentChanges1763700000018 } from './0018-recent-changes.js';
import { UnusedEvaluations1763700000019 } from './0019-unused-evaluations.js';
import { AuditLog1763700000020 } from './0020-audit-log.js';
import { SessionUse1763700000021 } from './0021-session-use.js';
import { UploadTokens1763700000022 } from './0022-upload-tokens.js';
import { Events1763700000023 } from './0023-events.js';
import { Webhooks1763700000024 } from './0024-webhooks.js';
import { UnplacedEvents1763700000025 } from './0025-unplaced-events.js';
import { TrackingAndReferences1763700000026 } from './0026-tracking-and-references.js';
import { SmallerIndexes1763700000027 } from './0027-smaller-indexes.js';
import { TokensByApp1763700000028 } from './0028-tokens-by-app.js';
import { SettingsByApp1763700000029 } from './0029-settings-by-app.js';
import { CompatibleMigrations1763700000030 } from './0030-compatible-migrations.js';
import { PaymentAndStockReferences1763700000031 } from './0031-payment-and-stock-references.js';
import { ProductBarcodes1763700000032 } from './0032-product-barcodes.js';
import { VariantsInFull1763700000033 } from './0033-variants-in-full.js';
import { PurgedKeysAndDevices1763700000034 } from './0034-purged-keys-and-devices.js';
import { LooseVoucherCodes1763700000035 } from './0035-loose-voucher-codes.js';
import { FoldedNames1763700000036 } from './0036-folded-names.js';
import { NarrowScopes1763700000037 } from './0037-narrow-scopes.js';
import { ServiceRequestIds1763700000038 } from './0038-service-request-ids.js';

export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  MainPath1763700000001,
  ProformasInFull1763700000002,
  CatalogueInFull1763700000003,
  Media1763700000004,
  PeopleAndSessions1763700000005,
  MediaObjects1763700000006,
  ShippedOrders1763700000007,
  ConsentAndDevices1763700000008,
  ProformasByApp1763700000009,
  WaitingFiles1763700000010,
  HiddenFiles1763700000011,
  EarlyStatistics1763700000012,
  ReturnedPoints1763700000013,
  SignsInSearch1763700000014,
  ListedRenditions1763700000015,
  RefundKeys1763700000016,
  TokenScopes1763700000017,
  RecentChanges1763700000018,
  UnusedEvaluations1763700000019,
  AuditLog1763700000020,
  SessionUse1763700000021,
  UploadTokens1763700000022,
  Events1763700000023,
  Webhooks1763700000024,
  UnplacedEvents1763700000025,
  TrackingAndReferences1763700000026,
  SmallerIndexes1763700000027,
  TokensByApp1763700000028,
  SettingsByApp1763700000029,
  CompatibleMigrations1763700000030,
  PaymentAndStockReferences1763700000031,
  ProductBarcodes1763700000032,
  VariantsInFull1763700000033,
  PurgedKeysAndDevices1763700000034,
  LooseVoucherCodes1763700000035,
  FoldedNames1763700000036,
  NarrowScopes1763700000037,
  ServiceRequestIds1763700000038,
];
