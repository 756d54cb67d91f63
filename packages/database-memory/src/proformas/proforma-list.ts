import {
  currencyNumber,
  formatDateTime,
  formatOptional,
  fromMinor,
  parseSorting,
  type ListedPage,
  type Page,
} from '@back-office/kernel';
import {
  isFinal,
  isOpen,
  countOpenAlerts,
  paidAmountOf,
  paymentReference,
  shownDebtOf,
  shownPayments,
  statusColor,
  statusId,
  PROFORMA_SORT_FIELDS,
  type ProformaSortField,
  type RequestingApp,
  type Proforma,
  type ProformaFilter,
} from '@back-office/proforma';
import { listedPage, nameKey, type SortKey } from '../sorting.js';

interface ListQuery {
  readonly app: RequestingApp;
  readonly filter: ProformaFilter;
  readonly orderBy: unknown;
  readonly page: Page;
  readonly now: Date;
}

type Key = Pick<SortKey<Proforma>, 'value' | 'mark'>;

const BY_INSERTION_TIME: Key = { value: ({ insertedAt }) => insertedAt.getTime() };

/** Sorts `processing_date` by the insertion time, which has the same value. */
const SORT_KEYS: Readonly<Record<ProformaSortField, Key>> = {
  expires_at: { value: ({ expiresAt }) => expiresAt.getTime() },
  end_sales: { value: ({ endSales }) => endSales },
  paid: { value: (proforma) => paidAmountOf(shownPayments(proforma)) },
  debt: { value: shownDebtOf },
  customer_name: nameKey(({ buyer }) => [buyer.lastName, buyer.firstName]),
  processing_date: BY_INSERTION_TIME,
  inserted_at: BY_INSERTION_TIME,
  updated_at: { value: ({ updatedAt }) => updatedAt.getTime() },
  proforma_number: { value: ({ number }) => number },
  status: { value: ({ status }) => statusId(status) },
};

export function proformaList(
  proformas: readonly Proforma[],
  { app, filter, orderBy, page, now }: ListQuery,
): ListedPage {
  const sorting = parseSorting(orderBy, PROFORMA_SORT_FIELDS);
  const key = (sorting && SORT_KEYS[sorting.field]) ?? BY_INSERTION_TIME;
  const keys: readonly SortKey<Proforma>[] = [
    { ...key, direction: sorting?.direction ?? 'desc' },
    { value: ({ id }) => id, direction: 'desc' },
  ];
  const matchingProformas = proformas.filter((proforma) => matches(proforma, filter));
  return listedPage(matchingProformas, keys, page, (proforma) => presentProforma(proforma, app, now));
}

function matches(proforma: Proforma, { statusIds, expiring, hasAlerts, ...otherFilters }: ProformaFilter): boolean {
  const { numbers, anonymous, customerId, from, before, updatedAfter } = otherFilters;
  const { status, expiresAt, buyer, insertedAt, updatedAt } = proforma;
  return (
    (statusIds === undefined || statusIds.includes(statusId(status))) &&
    (numbers === undefined || numbers.includes(proforma.number)) &&
    (expiring === undefined || (isOpen(proforma) && expiresAt > expiring.after && expiresAt <= expiring.until)) &&
    (hasAlerts === undefined || countOpenAlerts(proforma) > 0 === hasAlerts) &&
    (anonymous === undefined || (buyer.id === null) === anonymous) &&
    (customerId === undefined || buyer.id === customerId) &&
    (from === undefined || insertedAt >= from) &&
    (before === undefined || insertedAt < before) &&
    (updatedAfter === undefined || updatedAt >= updatedAfter)
  );
}

function presentProforma(proforma: Proforma, app: RequestingApp, now: Date): object {
  const { status, buyer, alerts } = proforma;
  return {
    id: proforma.id,
    proforma_number: proforma.number,
    transaction_reference: paymentReference(proforma.number),
    proforma_status_id: statusId(status),
    proforma_status_name: status,
    proforma_status_color: statusColor(status),
    proforma_status_final: isFinal(status),
    ...presentTimes(proforma, now),
    customer_id: buyer.id,
    customer_data_part: buyer.dataPart,
    customer_time_part: buyer.timePart,
    customer_email: buyer.email,
    customer_first_name: buyer.firstName,
    customer_last_name: buyer.lastName,
    anonymous: buyer.id === null,
    ...presentAmounts(proforma, app.decimals),
    market_id: proforma.marketId,
    currency_id: currencyNumber(app.currency),
    sales_channel_id: proforma.salesChannelId,
    sales_channel: proforma.salesChannel,
    order_id: proforma.orderId,
    order_data_part: proforma.converted?.orderParts?.dataPart ?? null,
    order_time_part: proforma.converted?.orderParts?.timePart ?? null,
    canceled: proforma.canceledAt !== null,
    cancel_reason: proforma.cancelReason,
    tags: proforma.tags,
    alerts_count: alerts.length,
    open_alerts_count: countOpenAlerts(proforma),
  };
}

function presentTimes(proforma: Proforma, now: Date): object {
  const remainingSeconds = Math.floor((proforma.expiresAt.getTime() - now.getTime()) / 1_000);
  return {
    processing_date: formatDateTime(proforma.processingDate),
    expires_at: formatDateTime(proforma.expiresAt),
    warehouse_confirmed_at: formatOptional(proforma.warehouseConfirmedAt),
    converted_at: formatOptional(proforma.convertedAt),
    canceled_at: formatOptional(proforma.canceledAt),
    inserted_at: formatDateTime(proforma.insertedAt),
    updated_at: formatDateTime(proforma.updatedAt),
    expires_in_seconds: isOpen(proforma) ? Math.max(0, remainingSeconds) : 0,
  };
}

function presentAmounts(proforma: Proforma, decimals: number): object {
  return {
    sales: fromMinor(proforma.sales, decimals),
    discount: fromMinor(proforma.discount, decimals),
    net_sales: fromMinor(proforma.netSales, decimals),
    vat: fromMinor(proforma.vat, decimals),
    end_sales: fromMinor(proforma.endSales, decimals),
    paid: fromMinor(paidAmountOf(shownPayments(proforma)), decimals),
    debt: fromMinor(shownDebtOf(proforma), decimals),
  };
}
