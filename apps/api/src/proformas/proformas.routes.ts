import type { AppContext } from '@back-office/apps';
import {
  checkText,
  IS_INVALID,
  MALFORMED,
  MAX_STRING_LENGTH,
  refuse,
  type Clock,
  type Refusal,
} from '@back-office/kernel';
import type { OrderQueries } from '@back-office/orders';
import { CREATE_REFUSALS, type Proforma } from '@back-office/proforma';
import { answerWith, created, NO_CONTENT, ok, type HandlerResult } from '../http/answer.js';
import { parseTextFilter } from '../http/query-parameters.js';
import {
  ArrayMaxSize,
  IsOptional,
  IsRecordId,
  MaxLength,
  Type,
  ValidatedBy,
  ValidatedByDomain,
  ValidateNested,
} from '../http/request-fields.js';
import { route, type Call, type Route } from '../http/route.js';
import { record, text } from '../http/shapes.js';
import { OrderShape, presentOrder } from '../orders/index.js';
import type { ProformaActions } from './proforma-actions.js';
import { FINAL_REFUSAL, OneProformaShape, PROFORMA_GUARD } from './proforma-shapes.js';
import { presentProforma } from './proforma-presenter.js';

class PostProforma {
  @IsRecordId() order_processing_id!: number;
}

class AdjustmentFields {
  @IsRecordId() proforma_order_item_id!: number;
  @ValidatedByDomain({ type: 'integer', minimum: 0 }) qty_confirmed: unknown;
}

class ConfirmProforma {
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => AdjustmentFields)
  @ArrayMaxSize(10_000)
  adjustments?: AdjustmentFields[] | null;
}

class CancelProforma {
  @IsOptional() @MaxLength(255) reason?: string | null;
}

/** Refuses `false`, because a resolved alert cannot be reopened. */
function checkResolved(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return MALFORMED;
  return value ? undefined : IS_INVALID;
}

class AlertFields {
  @ValidatedBy((value) => (Number.isInteger(value) ? undefined : MALFORMED), { type: 'integer', minimum: 0 })
  index!: number;
  @ValidatedBy(checkResolved, { type: 'boolean', enum: [true] }, IS_INVALID) resolved!: true;
}

class EditProforma {
  @IsOptional()
  @ValidatedByDomain({ type: 'array', maxItems: 50, items: { type: 'string', minLength: 1, maxLength: 100 } })
  tags?: unknown;
  @IsOptional() @ValidatedByDomain({ type: ['string', 'null'] as never, maxLength: 5_000 }) comment?: unknown;
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => AlertFields)
  @ArrayMaxSize(10_000)
  alerts?: AlertFields[] | null;
}

export function proformaRoutes(actions: ProformaActions, orders: OrderQueries, clock: Clock): Route[] {
  const checkOpen = (app: AppContext, id: number): Promise<boolean | Refusal> => actions.checkOpen(app, id);
  const refuseReason = async (app: AppContext, id: number, rule: string): Promise<HandlerResult> => {
    const checkResult = await checkOpen(app, id);
    return checkResult === true ? refuse(rule, 'reason') : checkResult || undefined;
  };
  const present = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  return [
    route({
      method: 'post',
      path: '/proforma_orders',
      caller: 'app',
      scope: 'proformas:write',
      summary: 'Creates a proforma from a checkout evaluation: freezes its prices and reserves its stock',
      body: PostProforma,
      answers: { 201: OneProformaShape },
      refusals: CREATE_REFUSALS.map(({ refused }) => refused),
      handle: async ({ app, body }) =>
        answerWith(await actions.create(app, body.order_processing_id), (proforma) =>
          created(presentProforma(app, proforma, clock.now())),
        ),
    }),
    route({
      method: 'get',
      path: '/proforma_orders/:id',
      caller: 'app',
      scope: 'proformas:read',
      summary: 'One proforma in full',
      answers: { 200: OneProformaShape },
      handle: async ({ app, id }) => answerWith(await actions.show(app, id), present(app)),
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/warehouse_confirm',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['proformas:confirm', 'proformas:write'],
      summary: 'Confirms the lines on behalf of the warehouse; lines left out are confirmed in full',
      body: ConfirmProforma,
      bodyOptional: true,
      answers: { 200: OneProformaShape },
      refusals: [FINAL_REFUSAL, 'Insufficient stock for product: <product>'],
      precheck: checkOpen,
      handle: async ({ app, id, body }) => {
        const adjustments = (body.adjustments ?? []).map((adjustment) => ({
          lineId: adjustment.proforma_order_item_id,
          qtyConfirmed: adjustment.qty_confirmed,
        }));
        return answerWith(await actions.confirm(app, id, adjustments), present(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/convert',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: 'proformas:write',
      summary: 'Turns the proforma into an order; a repeat returns the same order',
      answers: { 200: record({ data: OrderShape }) },
      refusals: [FINAL_REFUSAL, 'API.ProformaOrders.NothingConfirmed'],
      handle: async ({ app, id }) => {
        const conversion = await actions.convert(app, id);
        if (conversion === undefined || 'refused' in conversion) return conversion;
        const order = await orders.find(app.id, conversion.orderId ?? 0);
        return order && ok(presentOrder(app, order));
      },
    }),
    ...editRoutes(actions, clock),
    route({
      method: 'delete',
      path: '/proforma_orders/:id',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: 'proformas:write',
      summary: 'Cancels the proforma: refunds captured payments and releases stock',
      body: CancelProforma,
      query: { reason: { schema: text, description: 'the reason, if the body has none' } },
      bodyOptional: true,
      answers: { 204: null },
      refusals: [FINAL_REFUSAL],
      precheck: checkOpen,
      handle: async ({ app, id, body, query }) => {
        const reason = body.reason ?? parseTextFilter(query, 'reason') ?? null;
        const rule = checkText(reason ?? '', MAX_STRING_LENGTH, true);
        if (rule !== undefined) return refuseReason(app, id, rule);
        return answerWith(await actions.cancel(app, id, reason), () => NO_CONTENT);
      },
    }),
  ];
}

function editRoutes(actions: ProformaActions, clock: Clock): Route[] {
  const edit = {
    path: '/proforma_orders/:id',
    guard: PROFORMA_GUARD,
    caller: 'app' as const,
    scope: 'proformas:write' as const,
    summary: 'Changes tags and comment, resolves alerts; all or nothing',
    body: EditProforma,
    answers: { 200: OneProformaShape },
    refusals: [
      FINAL_REFUSAL,
      'API.ProformaOrders.InvalidTags',
      'API.ProformaOrders.InvalidComment',
      'API.ProformaOrders.AlertNotFound',
    ],
    precheck: (app: AppContext, id: number): Promise<boolean> => actions.exists(app, id),
    handle: async ({ app, id, body }: Call<EditProforma>): Promise<HandlerResult> =>
      answerWith(await actions.edit(app, id, body), (proforma) => ok(presentProforma(app, proforma, clock.now()))),
  };
  return [route({ ...edit, method: 'put' }), route({ ...edit, method: 'patch' })];
}
