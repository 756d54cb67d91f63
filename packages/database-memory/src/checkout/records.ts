import type { EvaluatedBasket, StoredRow } from '@back-office/checkout';
import type { PaymentMethodKind, PromotionKind } from '@back-office/kernel';

export interface SetUpRow extends StoredRow {
  readonly id: number;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export interface StoredPaymentMethod extends SetUpRow {
  readonly name: string;
  readonly kind: PaymentMethodKind;
}

export interface StoredPromotion extends SetUpRow {
  readonly name: string;
  readonly kind: PromotionKind;
  readonly value: number;
  readonly buy_qty: number | null;
  readonly get_qty: number | null;
  readonly min_qty: number;
  readonly min_amount: number;
  readonly variant_codes: readonly string[];
  readonly coupon_code: string | null;
  readonly valid_from: Date | null;
  readonly valid_until: Date | null;
  readonly priority: number;
  readonly active: boolean;
}

export interface StoredShipmentMethod extends SetUpRow {
  readonly name: string;
  readonly price: number;
  readonly vat_rate: number;
  readonly free_from: number | null;
  readonly requires_pickup_point: boolean;
  readonly pickup_points: readonly { readonly code: string; readonly available: boolean }[];
}

export interface StoredVoucher extends SetUpRow {
  readonly amount: number;
  readonly spent: number;
  readonly customer_id: number | null;
  readonly valid_from: Date | null;
  readonly valid_until: Date | null;
  readonly active: boolean;
  readonly held_by: number | null;
}

export interface StoredEvaluation extends EvaluatedBasket {
  readonly customer_id: number | null;
  readonly warehouse_id: number | null;
  readonly inserted_at: Date;
}
