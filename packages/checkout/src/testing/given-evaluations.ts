import { isRefusal, type Refusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { Basket, EvaluatedBasket, EvaluationQueries, Evaluations, ResourceName } from '../index.js';
import { aBasket } from './a-basket.js';

export interface Goods {
  readonly productId: number;
  readonly variantId: number;
}

interface CustomerRow {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

export interface EvaluationFixture {
  readonly evaluations: Evaluations;
  readonly evaluationQueries: EvaluationQueries;
  readonly clock: ManualClock;
  /** Adds an app with the currency RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: { readonly external_ref?: string }): Promise<CustomerRow>;
  /** Adds a product whose name is its code, with one variant of the same code. Amounts are minor units. */
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
  /** Values of the variant that override those of the product. */
  readonly variantValues?: { readonly price?: number; readonly vatRate?: number };
  readonly active?: boolean;
}

export class EvaluationShop {
  private constructor(
    readonly fixture: EvaluationFixture,
    readonly id: number,
    readonly shirt: Goods,
  ) {}

  static async open(fixture: EvaluationFixture): Promise<EvaluationShop> {
    const id = await fixture.makeApp();
    const shirt = { code: 'S', barcode: '860', external_ref: 'ref', price: 1_200, vatRate: 2_000 };
    return new EvaluationShop(fixture, id, await fixture.addGoods(id, shirt));
  }

  tryToEvaluate(overrides: Partial<Basket> = {}): Promise<EvaluatedBasket | Refusal> {
    return this.fixture.evaluations.evaluate(this.id, aBasket({ items: [{ code: 'S', qty: 2 }], ...overrides }));
  }

  async evaluate(overrides: Partial<Basket> = {}): Promise<EvaluatedBasket> {
    const result = await this.tryToEvaluate(overrides);
    if (isRefusal(result)) throw new Error(result.refused);
    return result;
  }

  async refusalOf(overrides: Partial<Basket>): Promise<string> {
    const result = await this.tryToEvaluate(overrides);
    return isRefusal(result) ? result.refused : 'no refusal';
  }
}
