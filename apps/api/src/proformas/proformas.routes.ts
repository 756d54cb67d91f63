import { pageOf, refuse, type Clock } from '@back-office/kernel';
import { NO_PAYMENT_QR, type Proforma } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { answered, created, NO_CONTENT, ok, okText, type Outcome } from '../http/answer.js';
import { minorOf, type AppContext } from '../http/app-context.js';
import { PAGING } from '../http/query-parameters.js';
import {
  Amount,
  IS_INVALID,
  JudgedBy,
  ListOf,
  MALFORMED,
  OneOf,
  RecordId,
  Text,
  Unjudged,
  Wrapper,
  type Judge,
} from '../http/request-fields.js';
import { route, type Call, type Route } from '../http/route.js';
import { integer, listOf, record, text, truth } from '../http/shapes.js';
import { OrderShape, presentOrder, type TypeOrmOrders } from '../orders/index.js';
import { drawQr, QR_MEDIA, type QrMedia } from './payment-qr.js';
import { presentInstructions, presentProforma, ProformaListShape, ProformaShape } from './proforma.js';
import type { ProformaActions } from './proforma-actions.js';
import { proformaFilter } from './proforma-filter.js';
import { proformaListJson } from './proforma-list.query.js';
import { proformaStats, ProformaStatsShape } from './proforma-stats.query.js';

const DEFAULT_LIMIT = 30;
const optional = true;

const WINDOW = {
  date_from: { schema: text, description: 'by processing_date, inclusive' },
  date_to: { schema: text, description: 'by processing_date, inclusive; a date alone covers the whole day' },
};

const LIST_QUERY = {
  ...PAGING,
  ...WINDOW,
  status: { schema: text, description: 'one status name, or several separated by commas' },
  expiring_within: { schema: integer, description: 'open ones that expire within so many hours' },
  has_alerts: { schema: truth, description: 'true: at least one unresolved alert; false: none' },
  anonymous: { schema: truth, description: "only guests' ones, or only customers' ones" },
  customer_id: { schema: integer, description: 'of one customer' },
  orderBy: {
    schema: text,
    description:
      'expires_at, end_sales, paid, debt, customer_name, processing_date, inserted_at, updated_at, proforma_number ' +
      'or status, optionally followed by asc or desc',
  },
};

class PostProforma {
  @RecordId() order_processing_id!: number;
}

class PaymentFields {
  @RecordId() payment_method_id!: number;
  @Amount({ optional }) amount?: number | null;
}

class CardPaymentFields {
  @Amount({ optional }) amount?: number | null;
}

class BeginCardPayment {
  @Wrapper(() => CardPaymentFields) payment!: CardPaymentFields;
}

class CardResultFields {
  @OneOf(['settled', 'failed']) status!: string;
  @Text({ optional }) reference?: string | null;
}

class CardPaymentResult {
  @Wrapper(() => CardResultFields) result!: CardResultFields;
}

class PayProforma {
  @Wrapper(() => PaymentFields) payment!: PaymentFields;
}

class AdjustmentFields {
  @RecordId() proforma_order_item_id!: number;
  @Unjudged({ type: 'integer', minimum: 0 }) qty_confirmed?: unknown;
}

class ConfirmProforma {
  @ListOf(() => AdjustmentFields, { max: 10_000, optional }) adjustments?: AdjustmentFields[] | null;
}

class CancelProforma {
  @Text({ optional }) reason?: string | null;
}

/** Any whole number is well formed, one that no alert can have finds none. */
const judgeIndex: Judge = (value) => (Number.isInteger(value) ? undefined : MALFORMED);

/** A resolved alert is never opened again. */
const judgeResolved: Judge = (value) => {
  if (typeof value !== 'boolean') return MALFORMED;
  return value ? undefined : IS_INVALID;
};

class AlertFields {
  @JudgedBy(judgeIndex, { type: 'integer', minimum: 0 }) index!: number;
  @JudgedBy(judgeResolved, { type: 'boolean', enum: [true] }, { missing: IS_INVALID }) resolved!: true;
}

class EditProforma {
  @Unjudged({ type: 'array', maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 100 } }) tags?: unknown;
  @Unjudged({ type: ['string', 'null'] as never, maxLength: 5_000 }) comment?: unknown;
  @ListOf(() => AlertFields, { max: 10_000, optional }) alerts?: AlertFields[] | null;
}

const FINAL = 'API.ProformaOrders.AlreadyFinal';
const OneProforma = record({ data: ProformaShape });

export function proformaRoutes(
  actions: ProformaActions,
  orders: TypeOrmOrders,
  database: Database,
  clock: Clock,
): Route[] {
  const exists = (app: AppContext, id: number): Promise<boolean> => actions.exists(app, id);
  const shown = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  const edit = async ({ app, id, body }: Call<EditProforma>): Promise<Outcome> =>
    answered(await actions.edit(app, id, body), shown(app));
  const editing = {
    path: '/proforma_orders/:id',
    caller: 'app' as const,
    summary: 'Changes tags and comment, resolves alerts; one bad part changes nothing',
    body: EditProforma,
    answers: { 200: OneProforma },
    refusals: [
      FINAL,
      'API.ProformaOrders.InvalidTags',
      'API.ProformaOrders.InvalidComment',
      'API.ProformaOrders.AlertNotFound',
    ],
    record: exists,
    handle: edit,
  };
  return [
    route({
      method: 'get',
      path: '/proforma_orders',
      caller: 'app',
      summary: "The app's proformas, newest first unless sorted otherwise; a filter that cannot be used is ignored",
      query: LIST_QUERY,
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: listOf(ProformaListShape) }) },
      handle: async ({ app, query }) =>
        okText(
          await proformaListJson(
            database,
            app,
            proformaFilter(query, clock.now()),
            query['orderBy'],
            pageOf(query, DEFAULT_LIMIT),
            clock.now(),
          ),
        ),
    }),
    route({
      method: 'get',
      path: '/proforma_orders/stats',
      caller: 'app',
      summary: 'Counts for a dashboard, and the conversion rate of those made between date_from and date_to',
      query: WINDOW,
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: ProformaStatsShape }) },
      handle: async ({ app, query }) => ok(await proformaStats(database, app, query, clock.now())),
    }),
    route({
      method: 'post',
      path: '/proforma_orders',
      caller: 'app',
      summary: 'Makes a proforma of a checkout evaluation: freezes its prices and reserves its stock',
      body: PostProforma,
      answers: { 201: OneProforma },
      refusals: [
        'API.OrderProcessings.StaleEvaluation',
        'API.ProformaOrders.WrongApp',
        'API.Products.MissingVat',
        'API.Orders.GuestDeliveryDataIncomplete',
        'API.ShipmentMethods.PickupPointRequired',
        'API.ShipmentMethods.PickupPointUnavailable',
        'API.Vouchers.NotAvailable',
        'Insufficient stock for product: <product>',
      ],
      handle: async ({ app, body }) =>
        answered(await actions.create(app, body.order_processing_id), (proforma) =>
          created(presentProforma(app, proforma, clock.now())),
        ),
    }),
    route({
      method: 'get',
      path: '/proforma_orders/:id',
      caller: 'app',
      summary: 'One proforma in full',
      answers: { 200: OneProforma },
      handle: async ({ app, id }) => answered(await actions.show(app, id), shown(app)),
    }),
    route({
      method: 'get',
      path: '/proforma_orders/:id/payment_qr',
      caller: 'app',
      extension: true,
      summary: 'The QR code of the payment instructions (NBS IPS), as PNG, or as SVG by Accept',
      media: QR_MEDIA,
      answers: { 200: text },
      refusals: ['API.ProformaOrders.NoPaymentQr'],
      handle: async ({ app, id, request }) => {
        const proforma = await actions.show(app, id);
        if (proforma === undefined) return undefined;
        const { qr } = presentInstructions(app, proforma);
        if (qr === null) return NO_PAYMENT_QR;
        const media = (request.accepts([...QR_MEDIA]) || QR_MEDIA[0]) as QrMedia;
        return { status: 200, text: await drawQr(qr, media), headers: { 'Content-Type': media, Vary: 'Accept' } };
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/pay',
      caller: 'app',
      summary: 'Records a payment that settles at once; an amount of 0 or less pays the whole debt',
      body: PayProforma,
      answers: { 200: OneProforma },
      refusals: [
        FINAL,
        'API.PaymentMethod.NotSupported',
        'API.Payments.CashAmountRequired',
        'Order debt is already paid',
        'Payment amount exceeds order debt',
      ],
      record: exists,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = minorIfGiven(app, payment.amount);
        if (amount === 'unusable') return (await exists(app, id)) ? refuse('is invalid', 'amount') : undefined;
        return answered(await actions.pay(app, id, { methodId: payment.payment_method_id, amount }), shown(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/card_payments',
      caller: 'app',
      extension: true,
      summary: 'Begins a card payment, whose result comes later; an amount of 0 or less, or none, is the whole debt',
      body: BeginCardPayment,
      answers: { 201: OneProforma },
      refusals: [
        FINAL,
        'API.PaymentMethod.NotSupported',
        'Order debt is already paid',
        'Payment amount exceeds order debt',
      ],
      record: exists,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = minorIfGiven(app, payment.amount);
        if (amount === 'unusable') return (await exists(app, id)) ? refuse('is invalid', 'amount') : undefined;
        return answered(await actions.beginCardPayment(app, id, amount), (proforma) =>
          created(presentProforma(app, proforma, clock.now())),
        );
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/card_payments/:payment_id/result',
      caller: 'app',
      extension: true,
      summary: 'The result of a card payment; given again, it changes nothing',
      body: CardPaymentResult,
      answers: { 200: OneProforma },
      record: (app, id, ids) => actions.hasCardPayment(app, id, ids['payment_id'] ?? 0),
      handle: async ({ app, id, ids, body: { result } }) => {
        const { status, reference = null } = result;
        const told = { paymentId: ids['payment_id'] ?? 0, status: status as 'settled' | 'failed', reference };
        return answered(await actions.receiveCardResult(app, id, told), shown(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/warehouse_confirm',
      caller: 'app',
      summary: 'The warehouse confirms the lines; those left out of the body are confirmed in full',
      body: ConfirmProforma,
      bodyOptional: true,
      answers: { 200: OneProforma },
      refusals: [FINAL, 'Insufficient stock for product: <product>'],
      record: exists,
      handle: async ({ app, id, body }) => {
        const adjustments = (body.adjustments ?? []).map((each) => ({
          lineId: each.proforma_order_item_id,
          qtyConfirmed: each.qty_confirmed,
        }));
        return answered(await actions.confirm(app, id, adjustments), shown(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/convert',
      caller: 'app',
      summary: 'Turns the proforma into an order; a repeat answers the same order',
      answers: { 200: record({ data: OrderShape }) },
      refusals: [FINAL, 'API.ProformaOrders.NothingConfirmed'],
      handle: async ({ app, id }) => {
        const converted = await actions.convert(app, id);
        if (converted === undefined || 'refused' in converted) return converted;
        const order = await orders.find(app.id, converted.orderId ?? 0);
        return order && ok(presentOrder(app, order));
      },
    }),
    route({ ...editing, method: 'put' }),
    route({ ...editing, method: 'patch' }),
    route({
      method: 'delete',
      path: '/proforma_orders/:id',
      caller: 'app',
      summary: 'Cancels the proforma: captured payments are refunded, stock is released',
      body: CancelProforma,
      bodyOptional: true,
      answers: { 204: null },
      refusals: [FINAL],
      record: exists,
      handle: async ({ app, id, body }) =>
        answered(await actions.cancel(app, id, body.reason ?? null), () => NO_CONTENT),
    }),
  ];
}

function minorIfGiven(app: AppContext, amount: number | null | undefined): number | null | undefined | 'unusable' {
  if (amount === undefined || amount === null) return amount;
  const isTooFine = Number(amount.toFixed(app.decimals)) !== amount;
  // What is too large to be an amount is beyond every debt, and what is as far below 0 still pays the whole debt.
  return minorOf(app, amount) ?? (isTooFine ? 'unusable' : Math.sign(amount) * Number.MAX_SAFE_INTEGER);
}
