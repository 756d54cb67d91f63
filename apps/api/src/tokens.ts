import type { Clock } from '@back-office/kernel';
import type { ProformaOrders, RefundGateway } from '@back-office/proforma';
import type { ServiceIdentifier } from 'inversify';
import type { RememberedTokens, TypeOrmApps } from './apps/index.js';
import type { TypeOrmProducts } from './catalogue/index.js';
import type { TypeOrmEvaluations } from './checkout/index.js';
import type { TypeOrmCustomers } from './customers/index.js';
import type { Database } from './database/database.js';
import type { Route } from './http/route.js';
import type { TypeOrmKeyedCalls } from './idempotency/index.js';
import type { LibraryParts } from './media/index.js';
import type { OrderRefunds, TypeOrmOrders } from './orders/index.js';
import type {
  ExpirySweep,
  ProformaActions,
  Refunds,
  TypeOrmPaymentMethods,
  TypeOrmRefundQueue,
} from './proformas/index.js';
import type { TypeOrmSessions } from './sessions/index.js';
import type { TypeOrmStocks, TypeOrmWarehouses } from './stock/index.js';

function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol.for(name);
}

/** Everything that the container holds, by role. Ports first: these are what an installation may swap. */
export const TOKENS = {
  Clock: token<Clock>('Clock'),
  ProformaOrders: token<ProformaOrders>('ProformaOrders'),
  RefundGateway: token<RefundGateway>('RefundGateway'),
  Library: token<LibraryParts>('Library'),
  Database: token<Database>('Database'),
  Apps: token<TypeOrmApps>('Apps'),
  KeyedCalls: token<TypeOrmKeyedCalls>('KeyedCalls'),
  AccessTokens: token<RememberedTokens>('AccessTokens'),
  Warehouses: token<TypeOrmWarehouses>('Warehouses'),
  Stocks: token<TypeOrmStocks>('Stocks'),
  Products: token<TypeOrmProducts>('Products'),
  Customers: token<TypeOrmCustomers>('Customers'),
  Sessions: token<TypeOrmSessions>('Sessions'),
  Evaluations: token<TypeOrmEvaluations>('Evaluations'),
  Orders: token<TypeOrmOrders>('Orders'),
  PaymentMethods: token<TypeOrmPaymentMethods>('PaymentMethods'),
  RefundQueue: token<TypeOrmRefundQueue>('RefundQueue'),
  Refunds: token<Refunds>('Refunds'),
  OrderRefunds: token<OrderRefunds>('OrderRefunds'),
  ProformaActions: token<ProformaActions>('ProformaActions'),
  ExpirySweep: token<ExpirySweep>('ExpirySweep'),
  Routes: token<Route[]>('Routes'),
} as const;
