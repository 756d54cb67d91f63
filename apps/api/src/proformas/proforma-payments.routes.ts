import { addHours, parseMoment, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { EXTERNAL_REF_TAKEN, NO_PAYMENT_QR, type PaymentSource, type Proforma } from '@back-office/proforma';
import { answerWith, ok, type HandlerResult } from '../http/answer.js';
import { type AppContext, minorUnitsOf, money } from '@back-office/apps';
import { Reference } from '../http/reference-field.js';
import {
  IsDateTime,
  IsIn,
  IsNumber,
  IsOptional,
  IsRecordId,
  MaxLength,
  Type,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { record, text } from '../http/shapes.js';
import { PaymentShape, presentPayment } from '../sales/index.js';
import { drawQr, QR_MEDIA, type QrMedia } from './payment-qr.js';
import { FINAL_REFUSAL, OneProformaShape, ProformaShape, PROFORMA_GUARD } from './proforma-shapes.js';
import { presentInstructions, presentProforma } from './proforma-presenter.js';
import type { ProformaActions } from './proforma-actions.js';

class PayerFields {
  @IsOptional() @MaxLength(255) name?: string | null;
  @IsOptional() @MaxLength(255) account?: string | null;
}

class PaymentFields {
  @IsRecordId() payment_method_id!: number;
  @IsOptional() @IsNumber() amount?: number | null;
  @IsOptional() @Reference() external_ref?: string | null;
  @IsOptional() @IsDateTime() paid_at?: string | null;
  @IsOptional() @ValidateNested() @Type(() => PayerFields) payer?: PayerFields | null;
}

class CardPaymentFields {
  @IsOptional() @IsNumber() amount?: number | null;
}

class BeginCardPayment {
  @Wrapper() @ValidateNested() @Type(() => CardPaymentFields) payment!: CardPaymentFields;
}

class CardResultFields {
  @IsIn(['settled', 'failed']) status!: string;
  @IsOptional() @MaxLength(255) reference?: string | null;
}

class CardPaymentResult {
  @Wrapper() @ValidateNested() @Type(() => CardResultFields) result!: CardResultFields;
}

class PayProforma {
  @Wrapper() @ValidateNested() @Type(() => PaymentFields) payment!: PaymentFields;
}

export function proformaPaymentRoutes(actions: ProformaActions, clock: Clock): Route[] {
  const checkOpen = (app: AppContext, id: number): Promise<boolean | Refusal> => actions.checkOpen(app, id);
  const refuseAmount = async (app: AppContext, id: number): Promise<HandlerResult> => {
    const checkResult = await checkOpen(app, id);
    return checkResult === true ? refuse('is invalid', 'amount') : checkResult || undefined;
  };
  const present = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  return [
    qrRoute(actions, clock),
    route({
      method: 'post',
      path: '/proforma_orders/:id/pay',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['payments:write', 'proformas:write'],
      summary: 'Records a payment that settles at once; an amount of 0 or less pays the whole debt',
      body: PayProforma,
      answers: { 200: OneProformaShape },
      refusals: [
        FINAL_REFUSAL,
        'API.PaymentMethod.NotSupported',
        'API.Payments.CashAmountRequired',
        'Order debt is already paid',
        'Payment amount exceeds order debt',
        EXTERNAL_REF_TAKEN.refused,
      ],
      precheck: checkOpen,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = parseAmount(app, payment.amount);
        if (amount === 'too precise') return refuseAmount(app, id);
        const source = parseSource(payment);
        if (isLaterThanTomorrow(source, clock.now())) return refuse('is invalid', 'paid_at');
        return answerWith(
          await actions.pay(app, id, { methodId: payment.payment_method_id, amount, source }),
          present(app),
        );
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/card_payments',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['payments:write', 'proformas:write'],
      extension: true,
      summary:
        'Begins a card payment, by default of the whole debt; its result is sent later; `payment` is the new one',
      body: BeginCardPayment,
      answers: { 201: record({ data: ProformaShape, payment: PaymentShape }) },
      refusals: [
        FINAL_REFUSAL,
        'API.PaymentMethod.NotSupported',
        'Order debt is already paid',
        'Payment amount exceeds order debt',
      ],
      precheck: checkOpen,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = parseAmount(app, payment.amount);
        if (amount === 'too precise') return refuseAmount(app, id);
        return answerWith(await actions.beginCardPayment(app, id, amount), ({ proforma, payment: begunPayment }) => ({
          status: 201,
          body: {
            data: presentProforma(app, proforma, clock.now()),
            payment: presentPayment(begunPayment, money(app)),
          },
        }));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/card_payments/:payment_id/result',
      guard: PROFORMA_GUARD,
      caller: 'app',
      scope: ['payments:write', 'proformas:write'],
      extension: true,
      summary: 'Takes the result of a card payment; a repeat changes nothing',
      body: CardPaymentResult,
      answers: { 200: OneProformaShape },
      precheck: (app, id, ids) => actions.hasCardPayment(app, id, ids['payment_id'] ?? 0),
      handle: async ({ app, id, ids, body: { result } }) => {
        const { status, reference = null } = result;
        const cardResult = { paymentId: ids['payment_id'] ?? 0, status: status as 'settled' | 'failed', reference };
        return answerWith(await actions.receiveCardResult(app, id, cardResult), present(app));
      },
    }),
  ];
}

function qrRoute(actions: ProformaActions, clock: Clock): Route {
  return route({
    method: 'get',
    path: '/proforma_orders/:id/payment_qr',
    caller: 'app',
    scope: 'proformas:read',
    extension: true,
    summary: 'The QR code of the payment instructions (NBS IPS), as PNG, or as SVG by Accept',
    media: QR_MEDIA,
    answers: { 200: text },
    refusals: ['API.ProformaOrders.NoPaymentQr'],
    handle: async ({ app, id, request }) => {
      const proforma = await actions.show(app, id);
      if (proforma === undefined) return undefined;
      const { qr } = presentInstructions(app, proforma, clock.now());
      if (qr === null) return NO_PAYMENT_QR;
      const media = (request.accepts([...QR_MEDIA]) || QR_MEDIA[0]) as QrMedia;
      return { status: 200, text: await drawQr(qr, media), headers: { 'Content-Type': media, Vary: 'Accept' } };
    },
  });
}

function parseSource({ external_ref, paid_at, payer }: PaymentFields): PaymentSource {
  const { name = null, account = null } = payer ?? {};
  return {
    externalRef: external_ref?.trim() ?? null,
    receivedAt: parseMoment(paid_at ?? '')?.at ?? null,
    payer: name === null && account === null ? null : { name, account },
  };
}

function isLaterThanTomorrow({ receivedAt }: PaymentSource, now: Date): boolean {
  return receivedAt !== null && receivedAt > addHours(now, 24);
}

/**
 * Returns minor units, or `too precise` for more decimals than the currency has. An amount out of range becomes the
 * largest safe integer with the same sign. As a payment, it exceeds every debt if positive, and pays the whole debt if
 * negative.
 */
function parseAmount(app: AppContext, amount: number | null | undefined): number | null | undefined | 'too precise' {
  if (amount === undefined || amount === null) return amount;
  const isTooPrecise = Number(amount.toFixed(app.decimals)) !== amount;
  return minorUnitsOf(app, amount) ?? (isTooPrecise ? 'too precise' : Math.sign(amount) * Number.MAX_SAFE_INTEGER);
}
