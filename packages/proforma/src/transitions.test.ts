import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  aProforma,
  withAlertOfKind,
  BANK,
  CARD,
  inStatus,
  line,
  NOW,
  bankPayment,
  payment,
  refund,
  type Trait,
} from './testing/index.js';
import { beginCardPayment, receiveCardResult, type CardResult } from './card-payment.js';
import { cancel, convert, meetDeadline, refundOrder } from './close.js';
import { edit } from './edit.js';
import { pay } from './pay.js';
import type { Proforma } from './proforma.js';
import { FINAL_STATUSES, OPEN_STATUSES, STATUSES, statusId, type ProformaStatus } from './statuses.js';
import { recordRefund, retryRefund } from './refund.js';
import { decide, isOpen } from './transitions.js';
import { warehouseConfirm } from './warehouse-confirm.js';

// The proforma has an open alert and one line of 3 pieces at 1,000. `paid` is paid in full; `partial_confirmed` has 2
// confirmed pieces.
const GRID = `
                  | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | converted    | canceled     | expired
pay all           | paid              | paid              | debt is paid      | paid              | paid              | AlreadyFinal | AlreadyFinal | AlreadyFinal
pay a part        | draft             | awaiting_payment  | debt is paid      | confirmed         | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
pay too much      | exceeds debt      | exceeds debt      | debt is paid      | exceeds debt      | exceeds debt      | AlreadyFinal | AlreadyFinal | AlreadyFinal
begin card        | awaiting_payment  | awaiting_payment  | debt is paid      | confirmed         | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
card settles      | paid              | paid              | paid              | paid              | paid              | converted    | canceled     | expired
card fails        | draft             | draft             | paid              | confirmed         | partial_confirmed | converted    | canceled     | expired
confirm all       | confirmed         | confirmed         | confirmed         | confirmed         | confirmed         | AlreadyFinal | AlreadyFinal | AlreadyFinal
confirm less      | partial_confirmed | partial_confirmed | partial_confirmed | partial_confirmed | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
confirm nothing   | partial_confirmed | partial_confirmed | partial_confirmed | partial_confirmed | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
convert           | converted         | converted         | converted         | converted         | converted         | the same     | AlreadyFinal | AlreadyFinal
cancel            | canceled          | canceled          | canceled          | canceled          | canceled          | AlreadyFinal | AlreadyFinal | AlreadyFinal
wait              | the same          | the same          | the same          | the same          | the same          | the same     | the same     | the same
expire            | expired           | expired           | paid              | expired           | expired           | the same     | the same     | the same
expire also paid  | expired           | expired           | expired           | expired           | expired           | the same     | the same     | the same
edit tags         | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
edit comment      | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | AlreadyFinal | AlreadyFinal | AlreadyFinal
resolve alert     | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | converted    | canceled     | expired
refund order      | the same          | the same          | the same          | the same          | the same          | converted    | the same     | the same
record refund     | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | converted    | canceled     | expired
retry refund      | draft             | awaiting_payment  | paid              | confirmed         | partial_confirmed | converted    | canceled     | expired
edit nothing      | the same          | the same          | the same          | the same          | the same          | the same     | the same     | the same
`;

const confirmation =
  (qtyConfirmed: number): Action =>
  (proforma) =>
    warehouseConfirm(proforma, { adjustments: [{ lineId: 1, qtyConfirmed }], now: NOW });
const paymentOf =
  (amount: number): Action =>
  (proforma) =>
    pay(proforma, { method: BANK, amount, now: NOW });

const cardResult =
  (status: CardResult['status']): Action =>
  (proforma) => {
    const before = payment({ amount: 5000, kind: 'card', status: 'pending' })(proforma);
    const paymentId = before.payments.at(-1)?.id ?? 0;
    return receiveCardResult(before, { paymentId, status, reference: null, now: NOW });
  };

const onFailedRefund =
  (act: (proforma: Proforma, refundId: number) => Proforma | Refusal): Action =>
  (proforma) => {
    const overpaidProforma = bankPayment(3001)(proforma);
    const refundOf = overpaidProforma.payments.length;
    return act(refund(refundOf, 1, 'refund_failed')(overpaidProforma), refundOf + 1);
  };

type Action = (proforma: Proforma) => Proforma | Refusal;

const ACTIONS: Readonly<Record<string, Action>> = {
  'pay all': paymentOf(0),
  'pay a part': paymentOf(700),
  'pay too much': paymentOf(3001),
  'begin card': (proforma) => beginCardPayment(proforma, { method: CARD, amount: 0, now: NOW }),
  'card settles': cardResult('settled'),
  'card fails': cardResult('failed'),
  'confirm all': confirmation(3),
  'confirm less': confirmation(1),
  'confirm nothing': confirmation(0),
  convert: (proforma) => convert(proforma, { orderNumber: 'O-2026-00000000', amountPerPoint: 0, now: NOW }),
  cancel: (proforma) => cancel(proforma, { reason: null, now: NOW }),
  wait: (proforma) => meetDeadline(proforma, { now: NOW, expirePaid: true }),
  expire: (proforma) => meetDeadline(proforma, { now: proforma.expiresAt, expirePaid: false }),
  'expire also paid': (proforma) => meetDeadline(proforma, { now: proforma.expiresAt, expirePaid: true }),
  'edit tags': (proforma) => edit(proforma, { tags: ['new'], now: NOW }),
  'edit comment': (proforma) => edit(proforma, { comment: 'Ring twice', now: NOW }),
  'resolve alert': (proforma) => edit(proforma, { alerts: [{ index: 0, resolved: true }], now: NOW }),
  'refund order': (proforma) => {
    const before = bankPayment(100)(proforma);
    const after = refundOrder(before, { now: NOW });
    return after === before ? proforma : after;
  },
  'record refund': onFailedRefund((proforma, refundId) =>
    recordRefund(proforma, { refundId, reference: null, now: NOW }),
  ),
  'retry refund': onFailedRefund((proforma, refundId) => retryRefund(proforma, { refundId, now: NOW })),
  'edit nothing': (proforma) => edit(proforma, { now: NOW }),
};

const RESULT_NAMES: Readonly<Record<string, string>> = {
  'API.ProformaOrders.AlreadyFinal': 'AlreadyFinal',
  'Order debt is already paid': 'debt is paid',
  'Payment amount exceeds order debt': 'exceeds debt',
};

const [statuses = [], ...gridRows] = GRID.trim().split('\n').map(cellsOf);

describe.each(gridRows.map(([action = '', ...results]) => ({ action, outcomes: results })))(
  '$action',
  ({ action, outcomes }) => {
    it.each(outcomes.map((resultName, column) => [statuses[column], resultName]))(
      'leads from %s to: %s',
      (status, expected) => {
        const proforma = proformaIn(status as ProformaStatus);
        const result = ACTIONS[action]?.(proforma);
        expect(nameResult(proforma, result)).toBe(expected);
      },
    );
  },
);

describe('the tested table of statuses and actions', () => {
  it('covers every status and action', () => {
    expect(statuses).toEqual([...STATUSES]);
    expect(gridRows.map(([action]) => action)).toEqual(Object.keys(ACTIONS));
    expect(gridRows.every((row) => row.length === STATUSES.length + 1)).toBe(true);
  });
});

describe('a status', () => {
  it('is either final or open', () => {
    expect([...OPEN_STATUSES, ...FINAL_STATUSES]).toEqual([...STATUSES]);
    expect(FINAL_STATUSES).toEqual(['converted', 'canceled', 'expired']);
    for (const status of STATUSES) expect(isOpen({ status })).toBe(OPEN_STATUSES.includes(status));
  });

  it('has its position in the list as its id', () => {
    expect(STATUSES.map(statusId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([statusId('draft'), statusId('expired')]).toEqual([1, 8]);
  });
});

describe('a status change that the transition table does not allow', () => {
  it('throws', () => {
    const moveTo = (status: ProformaStatus): (() => unknown) => {
      const apply = (proforma: Proforma): Proforma => ({ ...proforma, status });
      return () => decide({ action: 'pay', guards: [], apply }, aProforma(), {});
    };
    expect(moveTo('converted')).toThrow('pay may not lead from draft to converted');
    expect(moveTo('awaiting_payment')).toThrow('pay may not lead from draft to awaiting_payment');
    expect(moveTo('draft')()).toMatchObject({ status: 'draft' });
    expect(moveTo('paid')()).toMatchObject({ status: 'paid' });
  });
});

function proformaIn(status: ProformaStatus): Proforma {
  const traits: Trait<Proforma>[] = [line({ qtyConfirmed: status === 'partial_confirmed' ? 2 : null })];
  if (status === 'paid') traits.push(bankPayment(3000));
  return aProforma(...traits, withAlertOfKind('refund_failed'), inStatus(status));
}

function nameResult(before: Proforma, result: Proforma | Refusal | undefined): string | undefined {
  if (result === before) return 'the same';
  return isRefusal(result) ? (RESULT_NAMES[result.refused] ?? result.refused) : result?.status;
}

function cellsOf(row: string): string[] {
  const [firstCell = '', ...cells] = row.split('|').map((cell) => cell.trim());
  return firstCell === '' ? cells : [firstCell, ...cells];
}
