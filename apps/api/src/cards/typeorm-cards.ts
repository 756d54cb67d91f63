import { newParts, refuse, type Clock, type Refusal } from '@back-office/kernel';
import { MATCHING, matcherOf } from '@back-office/matching';
import { randomInt } from 'node:crypto';
import { isCustomer, type CustomerName } from '../customers/index.js';
import type { Database, Transaction } from '../database/database.js';
import { violates } from '../database/failures.js';
import { ALREADY_TAKEN } from '../http/request-fields.js';
import { placeholders } from '../database/placeholders.js';

const COLUMNS = 'id, data_part, time_part, barcode, external_ref, customer_id';

const LOCK_NAMED = `
  select ${COLUMNS} from cards where app_id = $1 and (barcode = $2 or external_ref = $3) order by id for update`;

const UPDATE = `
  update cards
  set barcode = $3, external_ref = coalesce($4, external_ref), customer_id = coalesce($5, customer_id), updated_at = $6
  where app_id = $1 and id = $2 returning ${COLUMNS}`;

const INSERT = `
  insert into cards (app_id, data_part, time_part, barcode, external_ref, customer_id, inserted_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning ${COLUMNS}`;

export interface CardRow {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly barcode: string;
  readonly external_ref: string | null;
  readonly customer_id: number | null;
}

/** A card as it is to be. `null` leaves a known card what it has. */
export interface CardWish {
  readonly barcode: string;
  readonly externalRef: string | null;
  readonly customer: CustomerName | null;
}

export interface PutCard {
  readonly card: CardRow;
  readonly created: boolean;
}

export class TypeOrmCards {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Changes the card that the barcode, else the reference, names, or makes it. Refused when another card has the reference. */
  async put(appId: number, wish: CardWish): Promise<PutCard | Refusal> {
    try {
      return await this.database.transaction((transaction) => put(transaction, appId, wish, this.clock.now()));
    } catch (error) {
      if (violates(error, 'cards_external_ref_key')) return refuse(ALREADY_TAKEN, 'external_ref');
      if (violates(error, 'cards_barcode_key')) return refuse(ALREADY_TAKEN, 'barcode');
      throw error;
    }
  }
}

async function put(transaction: Transaction, appId: number, wish: CardWish, now: Date): Promise<PutCard | Refusal> {
  const customerId = await findCustomer(transaction, appId, wish.customer);
  if (customerId === undefined) return refuse('API.Customers.NotFound');
  const { barcode, externalRef } = wish;
  transaction.locks('card');
  const cards = await transaction.rows<CardRow>(LOCK_NAMED, [appId, barcode, externalRef]);
  const found = matcherOf(MATCHING['POST /int/cards'].card, cards).find({ barcode, external_ref: externalRef });
  if (found) {
    const values = [appId, found.id, barcode, externalRef, customerId, now];
    const [card] = await transaction.last<CardRow>(UPDATE, values);
    return { card: card as CardRow, created: false };
  }
  const { dataPart, timePart } = newParts(now, randomInt);
  const values = [appId, dataPart, timePart, barcode, externalRef, customerId, now];
  const [card] = await transaction.rows<CardRow>(INSERT, values);
  // Another call has made the card since it was looked for: it is found now.
  return card ? { card, created: true } : put(transaction, appId, wish, now);
}

/** The id of the customer that is named, `null` when none is, `undefined` when the app has no such customer. */
async function findCustomer(
  transaction: Transaction,
  appId: number,
  name: CustomerName | null,
): Promise<number | null | undefined> {
  if (name === null) return null;
  const values: unknown[] = [appId];
  const whose = isCustomer(name, placeholders(values));
  const text = `select c.id from customers c where c.app_id = $1 and ${whose}`;
  const [customer] = await transaction.rows<{ id: number }>(text, values);
  return customer?.id;
}
