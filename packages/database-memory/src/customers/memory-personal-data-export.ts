import { formatDateTime, fromMinor, type Buyer } from '@back-office/kernel';
import type { ExportedApp, PersonalDataQueries } from '@back-office/customers';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from '@back-office/orders';
import { paidAmountOf, shownPayments, type Proforma } from '@back-office/proforma';
import { pick } from '../lists.js';
import type { AccessTokenRecord } from '../apps/access-token-record.js';
import type { StoredEvaluation } from '../checkout/records.js';
import type { StoredOrder } from '../orders/records.js';
import type { State } from '../state.js';
import { presentCustomer } from './memory-customers.js';

interface Line {
  readonly code: string | null;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly sales: number;
  readonly discount: number;
}

const SESSION_FIELDS = ['id', 'language', 'device_uuid', 'device_type', 'device_vendor', 'mobile_info'] as const;
const DEVICE_FIELDS = ['id', 'uuid', 'notification_channel_id', 'device_type', 'device_vendor', 'mobile_info'] as const;
const VISIT_FIELDS = ['id', 'app_location_id', 'latitude', 'longitude', 'accuracy', 'distance_m'] as const;
const CONTACT = ['customer_email', 'customer_first_name', 'customer_last_name', 'customer_phone'] as const;
const TERMS = ['currency', 'delivery', 'comment', 'tags'] as const;

/** Exports the same fields as the SQL adapter. */
export class MemoryPersonalDataExport implements PersonalDataQueries {
  constructor(private readonly state: State) {}

  async *export(app: ExportedApp, customerId: number): AsyncGenerator<string> {
    const customer = this.state.customers.get(app.id, customerId);
    yield JSON.stringify({
      customer: customer === undefined ? null : presentCustomer(customer),
      ...this.personSections(app.id, customerId),
      ...this.benefitSections(app, customerId),
      ...this.saleSections(app, customerId),
    });
  }

  private personSections(appId: number, customerId: number): object {
    const { cards, consentChanges, devices, accessTokens, attendances } = this.state;
    const isOwn = (row: { readonly customer_id: number | null }) => row.customer_id === customerId;
    return {
      cards: cards
        .all(appId)
        .filter(isOwn)
        .map((card) => pick(card, ['id', 'barcode', 'external_ref'])),
      consent_changes: consentChanges
        .all(appId)
        .filter((change) => change.customerId === customerId)
        .map(({ channel, from, to, source, at }) => ({
          channel,
          from_state: from,
          to_state: to,
          source,
          changed_at: timeOf(at),
        })),
      devices: devices
        .all(appId)
        .filter(isOwn)
        .map((device) => ({
          ...pick(device, DEVICE_FIELDS),
          inserted_at: timeOf(device.inserted_at),
          updated_at: timeOf(device.updated_at),
        })),
      sessions: accessTokens.all(appId).filter(isOwn).map(presentSession),
      visits: attendances
        .all(appId)
        .filter(isOwn)
        .map((visit) => ({ ...pick(visit, VISIT_FIELDS), inserted_at: timeOf(visit.inserted_at) })),
    };
  }

  private benefitSections({ id: appId, decimals }: ExportedApp, customerId: number): object {
    const { vouchers, loyaltyBookings } = this.state;
    const isOwn = (row: { readonly customer_id: number | null }) => row.customer_id === customerId;
    return {
      vouchers: vouchers
        .all(appId)
        .filter(isOwn)
        .map((voucher) => ({
          ...pick(voucher, ['id', 'code', 'active']),
          amount: fromMinor(voucher.amount, decimals),
          spent: fromMinor(voucher.spent, decimals),
          valid_from: timeOf(voucher.valid_from),
          valid_until: timeOf(voucher.valid_until),
          inserted_at: timeOf(voucher.inserted_at),
        })),
      loyalty_bookings: loyaltyBookings
        .all(appId)
        .filter(isOwn)
        .map((booking) => ({
          order_id: booking.id,
          points: booking.points,
          inserted_at: timeOf(booking.inserted_at),
          taken_back_at: timeOf(booking.taken_back_at),
        })),
    };
  }

  private saleSections({ id: appId, decimals }: ExportedApp, customerId: number): object {
    const { evaluations, proformas, orders } = this.state;
    const toAmount = (minor: number) => fromMinor(minor, decimals);
    const isOwn = (row: { readonly customer_id: number | null }) => row.customer_id === customerId;
    return {
      evaluations: evaluations
        .all(appId)
        .filter(isOwn)
        .map((evaluation) => presentEvaluation(evaluation, toAmount)),
      proforma_orders: proformas
        .all(appId)
        .filter(({ buyer }) => buyer.id === customerId)
        .map((proforma) => presentProforma(proforma, toAmount)),
      orders: orders
        .all(appId)
        .filter(isOwn)
        .map((order) => presentOrder(order, toAmount)),
    };
  }
}

type ToAmount = (minor: number) => number;

function presentLine({ code, name, qty, price, sales, discount }: Line, toAmount: ToAmount): object {
  return { code, name, qty, price: toAmount(price), sales: toAmount(sales), discount: toAmount(discount) };
}

function presentSession(session: AccessTokenRecord): object {
  return {
    ...pick(session, SESSION_FIELDS),
    inserted_at: timeOf(session.inserted_at),
    expires_at: timeOf(session.expires_at),
    revoked_at: timeOf(session.revoked_at),
  };
}

function presentEvaluation(evaluation: StoredEvaluation, toAmount: ToAmount): object {
  return {
    id: evaluation.id,
    ...contactOf(evaluation.buyer),
    ...pick(evaluation, TERMS),
    end_sales: toAmount(evaluation.end_sales),
    inserted_at: timeOf(evaluation.inserted_at),
  };
}

function presentProforma(proforma: Proforma, toAmount: ToAmount): object {
  return {
    ...pick(proforma, ['id', 'number']),
    ...contactOf(proforma.buyer),
    ...pick(proforma, TERMS),
    cancel_reason: proforma.cancelReason,
    status: proforma.status,
    end_sales: toAmount(proforma.endSales),
    paid: toAmount(paidAmountOf(shownPayments(proforma))),
    inserted_at: timeOf(proforma.insertedAt),
    items: proforma.lines.map((line) => presentLine(line, toAmount)),
    payments: proforma.payments.map(({ amount, method, status, reference, externalRef, payer, date }) => ({
      amount: toAmount(amount),
      method,
      status,
      reference,
      external_ref: externalRef,
      payer,
      paid_at: timeOf(date),
    })),
  };
}

function presentOrder(order: StoredOrder, toAmount: ToAmount): object {
  return {
    ...pick(order, ['id', 'order_number', 'invoice_number', 'external_ref', 'proforma_number', 'tracking']),
    ...pick(order, CONTACT),
    ...pick(order, TERMS),
    order_status: ORDER_STATUSES[order.order_status_id - 1],
    payment_status: PAYMENT_STATUSES[order.payment_status_id - 1],
    delivery_status: DELIVERY_STATUSES[order.delivery_status_id - 1],
    end_sales: toAmount(order.end_sales),
    paid: toAmount(order.paid),
    order_date: timeOf(order.order_date),
    inserted_at: timeOf(order.inserted_at),
    items: order.items.map((line) => presentLine(line, toAmount)),
    payments: order.payments.map(({ amount, method, status, paid_at: paidAt }) => ({
      amount: toAmount(amount),
      method,
      status,
      reference: null,
      external_ref: null,
      payer: null,
      paid_at: timeOf(new Date(paidAt)),
    })),
  };
}

function timeOf(time: Date | null): string | null {
  return time === null ? null : formatDateTime(time);
}

function contactOf({ email, firstName, lastName, phone }: Buyer): object {
  return { customer_email: email, customer_first_name: firstName, customer_last_name: lastName, customer_phone: phone };
}
