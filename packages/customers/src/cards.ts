import { storedIdentifier, type CustomerIdentifier, type Refusal } from '@back-office/kernel';

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
   * `API.Customers.NotFound` when the app has no such customer, and with `ALREADY_TAKEN` for `barcode` or
   * `external_ref` when another card has it. Barcodes and references are stored trimmed. A card that neither finds as
   * sent is looked up by the trimmed values.
   */
  put(appId: number, card: DesiredCard): Promise<UpsertedCard | Refusal>;
}

/** A null reference keeps the stored one. */
export function storedCardIdentifiers(
  { barcode, externalRef }: DesiredCard,
  existingCard: Card | undefined,
): Pick<Card, 'barcode' | 'external_ref'> {
  const storedReference = existingCard?.external_ref ?? null;
  return {
    barcode: storedIdentifier(barcode, existingCard?.barcode),
    external_ref: externalRef === null ? storedReference : storedIdentifier(externalRef, storedReference),
  };
}
