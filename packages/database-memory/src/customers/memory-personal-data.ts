import {
  blankBuyer,
  containsAny,
  ERASE_REFUSALS,
  ERASED_ANSWER,
  ERASED_FIELDS,
  eraseEntry,
  eraseEvents,
  erasedEmail,
  identifyingFragments,
  personalTexts,
  type Customer,
  type PersonalData,
} from '@back-office/customers';
import type { Clock, Refusal } from '@back-office/kernel';
import { isFinal, type Payment, type Proforma } from '@back-office/proforma';
import { audit } from '../apps/audit-entries.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import type { Stored, Table } from '../memory.js';

/** Matches every text, because every text contains the empty text. */
const ANY_TEXT = [''];

type ErasedSales = Parameters<typeof eraseEvents>[1];

const BLANK_TERMS = { delivery: null, comment: null, tags: [] } as const;

export class MemoryPersonalData implements PersonalData {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async erase(appId: number, customerId: number): Promise<true | Refusal | undefined> {
    return this.state.memory.transaction(() => {
      const customer = this.state.customers.get(appId, customerId);
      const refusal = this.checkErasable(appId, customerId);
      if (customer === undefined || refusal !== undefined) return refusal;
      const firstErasure = this.firstErasureOf(appId, customer);
      const sales = this.eraseSales(appId, customer, (at) => at >= firstErasure);
      this.erasePerson(appId, customer);
      audit(this.state, appId, this.clock.now(), [eraseEntry(customerId)]);
      publish(this.state, appId, this.clock.now(), eraseEvents(customerId, sales));
      return true;
    });
  }

  private checkErasable(appId: number, customerId: number): Refusal | undefined {
    const proformas = this.proformasOf(appId, customerId);
    if (proformas.some(({ status }) => !isFinal(status))) return ERASE_REFUSALS.openProformas;
    const orders = this.state.orders.all(appId).filter((order) => order.customer_id === customerId);
    const payments = [...proformas, ...orders].flatMap((sale) => [...sale.payments]);
    return payments.some(({ status }) => status === 'pending') ? ERASE_REFUSALS.pendingPayments : undefined;
  }

  private proformasOf(appId: number, customerId: number): Proforma[] {
    return this.state.proformas.all(appId).filter(({ buyer }) => buyer.id === customerId);
  }

  /**
   * Returns the time of the customer's first erasure; a time in the far future if there was none. Free texts written
   * after it are blanked entirely, because the texts to search for have been erased.
   */
  private firstErasureOf(appId: number, { id, email }: Customer): Date {
    const erasures = this.state.auditLog
      .all(appId)
      .filter(({ action, subjectId }) => action === 'customer.erase' && subjectId === id);
    const isErased = email === erasedEmail(id);
    return isErased ? (erasures[0]?.at ?? new Date(0)) : new Date(8.64e15);
  }

  private eraseSales(appId: number, customer: Customer, isLater: (at: Date) => boolean): ErasedSales {
    const { evaluations, proformas, orders } = this.state;
    const [knownTexts, updatedAt] = [personalTexts(customer), this.clock.now()];
    const textsFor = (at: Date): readonly string[] => (isLater(at) ? ANY_TEXT : knownTexts);
    for (const evaluation of evaluations.all(appId).filter(({ customer_id: id }) => id === customer.id)) {
      if (evaluation.consumed_at === null) evaluations.delete(appId, evaluation.id);
      else evaluations.put(appId, { ...evaluation, ...BLANK_TERMS, buyer: blankBuyer(evaluation.buyer) });
    }
    const customerProformas = this.proformasOf(appId, customer.id);
    for (const proforma of customerProformas) {
      proformas.put(appId, { ...eraseProforma(proforma, textsFor(proforma.insertedAt)), updatedAt });
    }
    const customerOrders = orders.all(appId).filter(({ customer_id: id }) => id === customer.id);
    for (const order of customerOrders) {
      const reference = containsAny(order.external_ref, textsFor(order.inserted_at)) ? null : order.external_ref;
      const contact = {
        customer_email: null,
        customer_first_name: null,
        customer_last_name: null,
        customer_phone: null,
      };
      orders.put(appId, {
        ...order,
        ...BLANK_TERMS,
        ...contact,
        tracking: [],
        external_ref: reference,
        updated_at: updatedAt,
      });
    }
    return { proformaIds: customerProformas.map(({ id }) => id), orderIds: customerOrders.map(({ id }) => id) };
  }

  private erasePerson(appId: number, customer: Customer): void {
    const { accessTokens, attendances, cards, customers, devices, keyedCalls } = this.state;
    const isOwn = ({ customer_id: id }: { readonly customer_id: number | null }) => id === customer.id;
    for (const card of cards.all(appId).filter(isOwn)) {
      cards.put(appId, { ...card, customer_id: null, external_ref: null });
    }
    const email = erasedEmail(customer.id);
    if (customer.email !== email) {
      customers.put(appId, { ...customer, ...ERASED_FIELDS, email, updated_at: this.clock.now() });
    }
    removeWhere(attendances, appId, isOwn);
    removeWhere(devices, appId, isOwn);
    const sessionIds = new Set(
      accessTokens
        .all(appId)
        .filter(isOwn)
        .map(({ id }) => id),
    );
    removeWhere(accessTokens, appId, isOwn);
    removeWhere(keyedCalls, appId, ({ tokenId }) => sessionIds.has(tokenId));
    const marks = identifyingFragments(customer);
    const erasedAnswer = { status: ERASED_ANSWER.status, headers: {}, text: Buffer.from(ERASED_ANSWER.text) };
    for (const call of keyedCalls.all(appId)) {
      const answer = call.answer === 'not kept' ? undefined : call.answer;
      const text = answer?.text === undefined ? '' : Buffer.from(answer.text).toString();
      if (marks.some((mark) => text.includes(mark))) keyedCalls.put(appId, { ...call, answer: erasedAnswer });
    }
  }
}

function removeWhere<Row extends Stored>(table: Table<Row>, appId: number, matches: (row: Row) => boolean): void {
  for (const { id } of table.all(appId).filter(matches)) table.delete(appId, id);
}

function eraseProforma(proforma: Proforma, texts: readonly string[]): Proforma {
  const erasePayment = (payment: Payment): Payment => ({
    ...payment,
    payer: null,
    reference: containsAny(payment.reference, texts) ? null : payment.reference,
  });
  const { converted } = proforma;
  return {
    ...proforma,
    ...BLANK_TERMS,
    buyer: blankBuyer(proforma.buyer),
    cancelReason: null,
    payments: proforma.payments.map(erasePayment),
    converted: converted && { ...converted, payments: converted.payments.map(erasePayment) },
    alerts: proforma.alerts.map((alert) => {
      const { reference } = alert.details as { readonly reference?: string | null };
      const isPersonal = containsAny(reference ?? null, texts);
      return isPersonal && reference !== undefined
        ? { ...alert, details: { ...alert.details, reference: null } }
        : alert;
    }),
  };
}
