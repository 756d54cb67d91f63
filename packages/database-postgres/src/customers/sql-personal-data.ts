import {
  ERASE_REFUSALS,
  ERASED_ANSWER,
  eraseEntry,
  eraseEvents,
  erasedEmail,
  identifyingFragments,
  personalTexts,
  type Customer,
  type PersonalData,
} from '@back-office/customers';
import type { Clock, Refusal } from '@back-office/kernel';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import * as sql from './erase-statements.js';

interface LockedSale {
  readonly id: number;
  readonly insertedAt: Date;
}

interface LockedRecords {
  readonly evaluationIds: readonly number[];
  readonly proformas: readonly LockedSale[];
  readonly orders: readonly LockedSale[];
  readonly cardIds: readonly number[];
  readonly customer: Pick<Customer, 'id' | 'email' | 'first_name' | 'last_name' | 'phone'>;
}

export class SqlPersonalData implements PersonalData {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  erase(appId: number, customerId: number): Promise<true | Refusal | undefined> {
    return this.database.transaction(async (transaction) => {
      transaction.expectManyRows();
      const records = await lockRecords(transaction, appId, customerId);
      if (records === undefined || 'refused' in records) return records;
      const now = this.clock.now();
      await eraseSales(transaction, appId, records, now, personalTexts(records.customer));
      const laterRecords = await findLaterRecords(transaction, appId, records);
      if (laterRecords) await eraseSales(transaction, appId, laterRecords, now, ANY_TEXT);
      await erasePerson(transaction, appId, records, now);
      const sales = { proformaIds: idsOf(records.proformas), orderIds: idsOf(records.orders) };
      transaction.record(appId, now, { entries: [eraseEntry(customerId)], events: eraseEvents(customerId, sales) });
      return true;
    });
  }
}

async function lockRecords(
  transaction: Transaction,
  appId: number,
  customerId: number,
): Promise<LockedRecords | Refusal | undefined> {
  const key = [appId, customerId];
  transaction.locks('evaluation');
  const evaluations = await transaction.rows<{ id: number }>(sql.LOCK_EVALUATIONS, key);
  transaction.locks('proforma');
  const proformas = await transaction.rows<LockedSale & { isOpen: boolean }>(sql.LOCK_PROFORMAS, key);
  if (proformas.some(({ isOpen }) => isOpen)) return ERASE_REFUSALS.openProformas;
  transaction.locks('order');
  const orders = await transaction.rows<LockedSale>(sql.LOCK_ORDERS, key);
  const [proformaIds, orderIds] = [idsOf(proformas), idsOf(orders)];
  const pending = await transaction.rows(sql.FIND_PENDING_PAYMENTS, [appId, proformaIds, orderIds]);
  if (pending.length > 0) return ERASE_REFUSALS.pendingPayments;
  transaction.locks('customer');
  const [customer] = await transaction.rows<LockedRecords['customer']>(sql.LOCK_CUSTOMER, key);
  if (customer === undefined) return undefined;
  transaction.locks('card');
  const cards = await transaction.rows<{ id: number }>(sql.LOCK_CARDS, key);
  return {
    evaluationIds: idsOf(evaluations),
    proformas,
    orders,
    cardIds: idsOf(cards),
    customer,
  };
}

/** Matches every text, because every text contains the empty text. */
const ANY_TEXT = [''];

/**
 * Returns the sales since the customer's first erasure; `undefined` if there was none. All their free texts are
 * blanked, because the first erasure erased the texts to search for.
 */
async function findLaterRecords(
  transaction: Transaction,
  appId: number,
  records: LockedRecords,
): Promise<LockedRecords | undefined> {
  const { customer, proformas, orders } = records;
  if (customer.email !== erasedEmail(customer.id)) return undefined;
  const [erasure] = await transaction.rows<{ at: Date | null }>(sql.FIND_FIRST_ERASURE, [appId, customer.id]);
  const isLater = ({ insertedAt }: LockedSale): boolean => insertedAt >= (erasure?.at ?? insertedAt);
  return { ...records, evaluationIds: [], proformas: proformas.filter(isLater), orders: orders.filter(isLater) };
}

function idsOf(records: readonly { readonly id: number }[]): number[] {
  return records.map(({ id }) => id);
}

async function eraseSales(
  transaction: Transaction,
  appId: number,
  { evaluationIds, proformas, orders }: LockedRecords,
  now: Date,
  texts: readonly string[],
): Promise<void> {
  const [proformaIds, orderIds] = [idsOf(proformas), idsOf(orders)];
  await transaction.rows(sql.REMOVE_EVALUATIONS, [appId, evaluationIds]);
  await transaction.rows(sql.BLANK_EVALUATIONS, [appId, evaluationIds]);
  await transaction.rows(sql.BLANK_PROFORMAS, [appId, proformaIds, now, texts]);
  await transaction.rows(sql.BLANK_ORDERS, [appId, orderIds, now, texts]);
  await transaction.rows(sql.BLANK_PAYMENTS, [appId, proformaIds, orderIds, texts]);
}

async function erasePerson(transaction: Transaction, appId: number, records: LockedRecords, now: Date): Promise<void> {
  const { customer, cardIds } = records;
  await transaction.rows(sql.RELEASE_CARDS, [appId, cardIds, now]);
  await transaction.rows(sql.BLANK_CUSTOMER_ROW, [appId, customer.id, now, erasedEmail(customer.id)]);
  await transaction.rows(sql.REMOVE_VISITS, [appId, customer.id]);
  await transaction.rows(sql.REMOVE_DEVICES, [appId, customer.id]);
  const sessions = await transaction.rows<{ id: number }>(sql.REMOVE_SESSIONS, [appId, customer.id]);
  // The calls of these sessions can no longer be repeated, so their kept answers have no use.
  await transaction.rows(sql.REMOVE_ANSWERS_OF_SESSIONS, [appId, idsOf(sessions)]);
  const { status, text } = ERASED_ANSWER;
  await transaction.rows(sql.ERASE_ANSWERS, [appId, identifyingFragments(customer), status, text]);
}
