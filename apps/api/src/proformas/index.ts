export { ExpirySweep } from './expiry-sweep.js';
export { ProformaActions } from './proforma-actions.js';
export { proformaListRoutes } from './proforma-list.routes.js';
export { proformaPaymentRoutes } from './proforma-payments.routes.js';
export { proformaRefundRoutes } from './proforma-refunds.routes.js';
export { proformaRoutes } from './proformas.routes.js';
export { openRefundGateway, type OpenedRefundGateway, type UnansweredRefundReporter } from './refund-module.js';
export { Refunds } from './refunds.js';
