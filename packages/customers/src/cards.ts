import type { CustomerIdentifier, Refusal } from '@back-office/kernel';

export interface Card {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly barcode: string;
  readonly external_ref: string | null;
  readonly customer_id: number | null;
}

/** Null keeps the stored value. */
export interface DesiredCard {
  readonly barcode: string;
  readonly externalRef: string | null;
  readonly customer: CustomerIdentifier | null;
}

export interface UpsertedCard {
  readonly card: Card;
  readonly created: boolean;
}

export interface Cards {
  /**
   * Updates the card with this barcode, or else the card with this reference, or else adds a card. Refused with
   * `API.Customers.NotFound` when the app has no such customer, and with `ALREADY_TAKEN` for `external_ref` when
   * another card has the reference.
   */
  put(appId: number, card: DesiredCard): Promise<UpsertedCard | Refusal>;
}
