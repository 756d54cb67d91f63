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
  readonly code: string;
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

/** The exported fields are those of the SQL adapter. */
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
    const money = (minor: number) => fromMinor(minor, decimals);
    const isOwn = (row: { readonly customer_id: number | null }) => row.customer_id === customerId;
    return {
      evaluations: evaluations
        .all(appId)
        .filter(isOwn)
        .map((evaluation) => presentEvaluation(evaluation, money)),
      proforma_orders: proformas
        .all(appId)
        .filter(({ buyer }) => buyer.id === customerId)
        .map((proforma) => presentProforma(proforma, money)),
      orders: orders
        .all(appId)
        .filter(isOwn)
        .map((order) => presentOrder(order, money)),
    };
  }
}

type Money = (minor: number) => number;

function presentLine({ code, name, qty, price, sales, discount }: Line, money: Money): object {
  return { code, name, qty, price: money(price), sales: money(sales), discount: money(discount) };
}

function presentSession(session: AccessTokenRecord): object {
  return {
    ...pick(session, SESSION_FIELDS),
    inserted_at: timeOf(session.inserted_at),
    expires_at: timeOf(session.expires_at),
    revoked_at: timeOf(session.revoked_at),
  };
}

function presentEvaluation(evaluation: StoredEvaluation, money: Money): object {
  return {
    id: evaluation.id,
    ...contactOf(evaluation.buyer),
    ...pick(evaluation, TERMS),
    end_sales: money(evaluation.end_sales),
    inserted_at: timeOf(evaluation.inserted_at),
  };
}

function presentProforma(proforma: Proforma, money: Money): object {
  return {
    ...pick(proforma, ['id', 'number']),
    ...contactOf(proforma.buyer),
    ...pick(proforma, TERMS),
    cancel_reason: proforma.cancelReason,
    status: proforma.status,
    end_sales: money(proforma.endSales),
    paid: money(paidAmountOf(shownPayments(proforma))),
    inserted_at: timeOf(proforma.insertedAt),
    items: proforma.lines.map((line) => presentLine(line, money)),
    payments: proforma.payments.map(({ amount, method, status, reference, date }) => ({
      amount: money(amount),
      method,
      status,
      reference,
      paid_at: timeOf(date),
    })),
  };
}

function presentOrder(order: StoredOrder, money: Money): object {
  return {
    ...pick(order, ['id', 'order_number', 'invoice_number', 'external_ref', 'proforma_number']),
    ...pick(order, CONTACT),
    ...pick(order, TERMS),
    order_status: ORDER_STATUSES[order.order_status_id - 1],
    payment_status: PAYMENT_STATUSES[order.payment_status_id - 1],
    delivery_status: DELIVERY_STATUSES[order.delivery_status_id - 1],
    end_sales: money(order.end_sales),
    paid: money(order.paid),
    order_date: timeOf(order.order_date),
    inserted_at: timeOf(order.inserted_at),
    items: order.items.map((line) => presentLine(line, money)),
    payments: order.payments.map(({ amount, method, status, paid_at: paidAt }) => ({
      amount: money(amount),
      method,
      status,
      reference: null,
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
