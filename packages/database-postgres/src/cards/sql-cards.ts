import {
  ALREADY_TAKEN,
  type Clock,
  type CustomerIdentifier,
  newParts,
  type Refusal,
  refuse,
  withStoredForms,
} from '@back-office/kernel';
import { MATCHING, matcherOf, TRIMMED } from '@back-office/matching';
import { randomInt } from 'node:crypto';
import {
  cardEntries,
  storedCardIdentifiers,
  type Card,
  type Cards,
  type DesiredCard,
  type UpsertedCard,
} from '@back-office/customers';
import type { Postgres } from '../connection/postgres.js';
import { CARDS } from '../tables/customers.js';
import { customerCondition } from '../customers/customer-condition.js';
import { placeholders } from '../lists/placeholders.js';
import type { Transaction } from '../connection/transaction.js';
import { violates } from '../connection/failures.js';

const CARD_COLUMNS = CARDS.columns.except('app_id', 'inserted_at', 'updated_at');
const INSERTED_COLUMNS = CARD_COLUMNS.pick('data_part', 'time_part', 'barcode', 'external_ref', 'customer_id');

const LOCK_CARDS = `
  select ${CARD_COLUMNS.list} from cards where app_id = $1 and (barcode = any($2::text[]) or external_ref = any($3::text[])) order by id for update`;

const UPDATE_CARD = `
  update cards
  set barcode = $3, external_ref = coalesce($4, external_ref), customer_id = coalesce($5, customer_id), updated_at = $6
  where app_id = $1 and id = $2 returning ${CARD_COLUMNS.list}`;

const INSERT_CARD = `
  insert into cards (app_id, ${INSERTED_COLUMNS.list}, inserted_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning ${CARD_COLUMNS.list}`;

export class SqlCards implements Cards {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async put(appId: number, desiredCard: DesiredCard): Promise<UpsertedCard | Refusal> {
    try {
      return await this.database.transaction((transaction) => put(transaction, appId, desiredCard, this.clock.now()));
    } catch (error) {
      if (violates(error, 'cards_external_ref_key')) return refuse(ALREADY_TAKEN, 'external_ref');
      if (violates(error, 'cards_barcode_key')) return refuse(ALREADY_TAKEN, 'barcode');
      throw error;
    }
  }
}

async function put(
  transaction: Transaction,
  appId: number,
  desiredCard: DesiredCard,
  now: Date,
): Promise<UpsertedCard | Refusal> {
  const customerId = await findCustomer(transaction, appId, desiredCard.customer);
  if (customerId === undefined) return refuse('API.Customers.NotFound');
  const { barcode, externalRef } = desiredCard;
  transaction.locks('card');
  const sentIdentifiers = [[barcode], externalRef === null ? [] : [externalRef]];
  const cards = await transaction.rows<Card>(LOCK_CARDS, [appId, ...sentIdentifiers.map(withStoredForms)]);
  const matcher = matcherOf(MATCHING['POST /int/cards'].card, cards, TRIMMED['POST /int/cards'].card);
  const existingCard = matcher.find({ barcode, external_ref: externalRef });
  const identifiers = storedCardIdentifiers(desiredCard, existingCard);
  if (existingCard) {
    const values = [appId, existingCard.id, identifiers.barcode, identifiers.external_ref, customerId, now];
    const [card] = (await transaction.rows<Card>(UPDATE_CARD, values)) as [Card];
    transaction.record(appId, now, { entries: cardEntries(existingCard, card) });
    return { card, created: false };
  }
  const { dataPart, timePart } = newParts(now, randomInt);
  const values = [appId, dataPart, timePart, identifiers.barcode, identifiers.external_ref, customerId, now];
  const [card] = await transaction.rows<Card>(INSERT_CARD, values);
  // If nothing was inserted, another call has just inserted the card. The next look-up finds this card.
  if (card === undefined) return put(transaction, appId, desiredCard, now);
  transaction.record(appId, now, { entries: cardEntries(undefined, card) });
  return { card, created: true };
}

async function findCustomer(
  transaction: Transaction,
  appId: number,
  identifier: CustomerIdentifier | null,
): Promise<number | null | undefined> {
  if (identifier === null) return null;
  const values: unknown[] = [appId];
  const condition = customerCondition(identifier, placeholders(values));
  const text = `select c.id from customers c where c.app_id = $1 and ${condition}`;
  const [customer] = await transaction.rows<{ id: number }>(text, values);
  return customer?.id;
}
