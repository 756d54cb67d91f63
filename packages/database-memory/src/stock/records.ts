import type { StockCallOutcome, Warehouse } from '@back-office/stock';

export interface StoredWarehouse extends Warehouse {
  readonly deleted_at: Date | null;
}

export interface StoredStock {
  readonly id: number;
  readonly product_variant_id: number;
  readonly warehouse_id: number;
  readonly on_hand: number;
  readonly reserved: number;
  readonly min_qty: number;
  readonly updated_at: Date;
}

export type MovementKind = 'adjust' | 'reconcile' | 'reserve' | 'release' | 'ship';

export interface StockMovement {
  readonly id: number;
  readonly warehouse_id: number;
  readonly kind: MovementKind;
  readonly reference: string | null;
  readonly booked_at: Date;
}

export interface StockMovementLine {
  readonly id: number;
  readonly movement_id: number;
  readonly product_variant_id: number;
  readonly qty: number;
}

/** What a call with a reference did. */
export interface StockReference {
  readonly id: number;
  readonly reference: string;
  readonly content: string;
  readonly outcome: StockCallOutcome;
}

/** `id` is the id of the proforma item. */
export interface StockReservation {
  readonly id: number;
  readonly product_variant_id: number;
  readonly warehouse_id: number;
  readonly qty: number;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}
