import { isRefusal, type Refusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { Basket, EvaluatedBasket, EvaluationQueries, Evaluations, ResourceName } from '../index.js';
import { aBasket } from './a-basket.js';

export interface Goods {
  readonly productId: number;
  readonly variantId: number;
}

interface Customer {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

export interface GivenEvaluations {
  readonly evaluations: Evaluations;
  readonly evaluationQueries: EvaluationQueries;
  readonly clock: ManualClock;
  /** An app whose currency is RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: { readonly external_ref?: string }): Promise<Customer>;
  /** A product named like its code, with one variant of that code; amounts are minor units. */
  addGoods(appId: number, goods: NewGoods): Promise<Goods>;
  addWarehouse(appId: number, code: string): Promise<unknown>;
  deleteWarehouse(appId: number, code: string): Promise<unknown>;
  setUp(appId: number, name: ResourceName, ...rows: readonly object[]): Promise<unknown>;
  close(): Promise<void>;
}

interface NewGoods {
  readonly code: string;
  readonly barcode?: string;
  readonly external_ref?: string;
  readonly price?: number | null;
  readonly vatRate?: number | null;
  /** Values of the variant, which override the product's. */
  readonly variantValues?: { readonly price?: number; readonly vatRate?: number };
  readonly active?: boolean;
}

/** An app that sells shirts: `S` at 12.00 with 20 % VAT. */
export class EvaluationShop {
  private constructor(
    readonly given: GivenEvaluations,
    readonly id: number,
    readonly shirt: Goods,
  ) {}

  static async open(given: GivenEvaluations): Promise<EvaluationShop> {
    const id = await given.makeApp();
    const shirt = { code: 'S', barcode: '860', external_ref: 'ref', price: 1_200, vatRate: 2_000 };
    return new EvaluationShop(given, id, await given.addGoods(id, shirt));
  }

  /** By default two shirts. */
  tryToEvaluate(more: Partial<Basket> = {}): Promise<EvaluatedBasket | Refusal> {
    return this.given.evaluations.evaluate(this.id, aBasket({ items: [{ code: 'S', qty: 2 }], ...more }));
  }

  async evaluate(more: Partial<Basket> = {}): Promise<EvaluatedBasket> {
    const evaluated = await this.tryToEvaluate(more);
    if (isRefusal(evaluated)) throw new Error(evaluated.refused);
    return evaluated;
  }

  async refusalOf(more: Partial<Basket>): Promise<string> {
    const outcome = await this.tryToEvaluate(more);
    return isRefusal(outcome) ? outcome.refused : 'no refusal';
  }
}
