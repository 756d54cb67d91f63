import type { Clock, Refusal } from '@back-office/kernel';
import type { Proforma } from '@back-office/proforma';
import { answered, created, NO_CONTENT, ok, type Outcome } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import {
  IS_INVALID,
  JudgedBy,
  ListOf,
  MALFORMED,
  RecordId,
  Text,
  Unjudged,
  type Judge,
} from '../http/request-fields.js';
import { route, type Call, type Route } from '../http/route.js';
import { record } from '../http/shapes.js';
import { OrderShape, presentOrder, type TypeOrmOrders } from '../orders/index.js';
import { presentProforma } from './proforma.js';
import type { ProformaActions } from './proforma-actions.js';
import { FINAL, OneProforma } from './proforma-shapes.js';

const optional = true;

class PostProforma {
  @RecordId() order_processing_id!: number;
}

class AdjustmentFields {
  @RecordId() proforma_order_item_id!: number;
  @Unjudged({ type: 'integer', minimum: 0 }) qty_confirmed: unknown;
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
  @Unjudged({ type: 'array', maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 100 } }, { optional })
  tags?: unknown;
  @Unjudged({ type: ['string', 'null'] as never, maxLength: 5_000 }, { optional }) comment?: unknown;
  @ListOf(() => AlertFields, { max: 10_000, optional }) alerts?: AlertFields[] | null;
}

export function proformaRoutes(actions: ProformaActions, orders: TypeOrmOrders, clock: Clock): Route[] {
  const exists = (app: AppContext, id: number): Promise<boolean> => actions.exists(app, id);
  const isOpen = (app: AppContext, id: number): Promise<boolean | Refusal> => actions.isOpen(app, id);
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
      method: 'post',
      path: '/proforma_orders/:id/warehouse_confirm',
      caller: 'app',
      summary: 'The warehouse confirms the lines; those left out of the body are confirmed in full',
      body: ConfirmProforma,
      bodyOptional: true,
      answers: { 200: OneProforma },
      refusals: [FINAL, 'Insufficient stock for product: <product>'],
      record: isOpen,
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
      record: isOpen,
      handle: async ({ app, id, body }) =>
        answered(await actions.cancel(app, id, body.reason ?? null), () => NO_CONTENT),
    }),
  ];
}
