import { refuse, type Clock, type Refusal } from '@back-office/kernel';
import { NO_PAYMENT_QR, type Proforma } from '@back-office/proforma';
import { answered, ok, type Outcome } from '../http/answer.js';
import { minorOf, money, type AppContext } from '../http/app-context.js';
import { Amount, OneOf, RecordId, Text, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { record, text } from '../http/shapes.js';
import { PaymentShape, presentPayment } from '../orders/index.js';
import { drawQr, QR_MEDIA, type QrMedia } from './payment-qr.js';
import { FINAL, OneProforma, ProformaShape } from './proforma-shapes.js';
import { presentInstructions, presentProforma } from './proforma.js';
import type { ProformaActions } from './proforma-actions.js';

const optional = true;

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

/** How a proforma is paid: the QR code of its instructions, payments that settle at once, card payments. */
export function proformaPaymentRoutes(actions: ProformaActions, clock: Clock): Route[] {
  const isOpen = (app: AppContext, id: number): Promise<boolean | Refusal> => actions.isOpen(app, id);
  const tooFine = async (app: AppContext, id: number): Promise<Outcome> => {
    const found = await isOpen(app, id);
    return found === true ? refuse('is invalid', 'amount') : found || undefined;
  };
  const shown = (app: AppContext) => (proforma: Proforma) => ok(presentProforma(app, proforma, clock.now()));
  return [
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
        const { qr } = presentInstructions(app, proforma, clock.now());
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
      record: isOpen,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = amountOf(app, payment.amount);
        if (amount === 'too fine') return tooFine(app, id);
        return answered(await actions.pay(app, id, { methodId: payment.payment_method_id, amount }), shown(app));
      },
    }),
    route({
      method: 'post',
      path: '/proforma_orders/:id/card_payments',
      caller: 'app',
      extension: true,
      summary:
        'Begins a card payment, whose result comes later; an amount of 0 or less, or none, is the whole debt; `payment` is the new one',
      body: BeginCardPayment,
      answers: { 201: record({ data: ProformaShape, payment: PaymentShape }) },
      refusals: [
        FINAL,
        'API.PaymentMethod.NotSupported',
        'Order debt is already paid',
        'Payment amount exceeds order debt',
      ],
      record: isOpen,
      handle: async ({ app, id, body: { payment } }) => {
        const amount = amountOf(app, payment.amount);
        if (amount === 'too fine') return tooFine(app, id);
        return answered(await actions.beginCardPayment(app, id, amount), ({ proforma, payment: begun }) => ({
          status: 201,
          body: {
            data: presentProforma(app, proforma, clock.now()),
            payment: presentPayment(begun, money(app)),
          },
        }));
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
  ];
}

/**
 * Minor units; `too fine` with more decimals than the currency has. What is too large to be an amount is beyond every
 * debt, and what is as far below 0 still pays the whole debt.
 */
function amountOf(app: AppContext, amount: number | null | undefined): number | null | undefined | 'too fine' {
  if (amount === undefined || amount === null) return amount;
  const isTooFine = Number(amount.toFixed(app.decimals)) !== amount;
  return minorOf(app, amount) ?? (isTooFine ? 'too fine' : Math.sign(amount) * Number.MAX_SAFE_INTEGER);
}
