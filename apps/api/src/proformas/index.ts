export { ByHandRefundGateway } from './by-hand-refund-gateway.js';
export { ExpirySweep } from './expiry-sweep.js';
export { ProformaActions } from './proforma-actions.js';
export { proformaRoutes } from './proformas.routes.js';
export { Refunds } from './refunds.js';
export { TypeOrmPaymentMethods } from './typeorm-payment-methods.js';
export { TypeOrmProformaOrders } from './typeorm-proforma-orders.js';
export { TypeOrmRefundQueue } from './typeorm-refund-queue.js';
