import { followPositions } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type {
  AttributeQueries,
  Attributes,
  CatalogueApp,
  DesiredProduct,
  DesiredVariant,
  PlannedProduct,
  ProductFilter,
  ProductLookUp,
  ProductQueries,
  Products,
} from '../index.js';

export interface CatalogueFixture {
  readonly products: Products;
  readonly productQueries: ProductQueries;
  readonly attributes: Attributes;
  readonly attributeQueries: AttributeQueries;
  makeApp(): Promise<number>;
  /** Works only in an app without amounts. */
  changeCurrency(appId: number, currency: string): Promise<void>;
  addStock(appId: number, code: string, qty: number, sellable: boolean): Promise<void>;
  /** Returns usages of files that the media library does not have. Without this member, the contract skips usages. */
  brokenUsages?(appId: number): Promise<readonly object[]>;
  forward(seconds: number): void;
  close(): Promise<void>;
}

export interface ShownImage {
  readonly image_url: string;
  readonly alt: string | null;
}

export interface ShownVariant {
  readonly id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string | null;
  readonly price: number | null;
  readonly images: readonly ShownImage[];
  readonly stock: { readonly on_hand: number; readonly reserved: number; readonly available: number };
}

export interface ShownProduct {
  readonly id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly vat_rate: number | null;
  readonly price: number | null;
  readonly lowest_price: number | null;
  readonly active: boolean;
  readonly sales_quantity: number;
  readonly images: readonly ShownImage[];
  readonly attributes: readonly object[];
  readonly variants: readonly ShownVariant[];
  readonly inserted_at: string;
  readonly updated_at: string;
}

export const DECIMALS = 2;

export function variant(code: string, overrides: Partial<DesiredVariant> = {}): DesiredVariant {
  return { code, images: [], ...overrides };
}

export function product(code: string, overrides: Partial<DesiredProduct> = {}): DesiredProduct {
  return { code, name: code, images: [], variants: [variant(`${code}-1`)], ...overrides };
}

export class CatalogueShop {
  readonly app: CatalogueApp;

  constructor(
    readonly fixture: CatalogueFixture,
    readonly id: number,
  ) {
    this.app = { id, currency: 'RSD', settings: { media: { prefix: 'abcdefgh' } } };
  }

  async upsertAll(...rows: readonly DesiredProduct[]): Promise<PlannedProduct[]> {
    const { outcomes } = await this.fixture.products.upsert(this.app, rows);
    const plannedProducts = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
    expect(plannedProducts).toHaveLength(rows.length);
    return plannedProducts;
  }

  async failureKeys(...rows: readonly (DesiredProduct | string)[]): Promise<(string | undefined)[]> {
    const { outcomes } = await this.fixture.products.upsert(this.app, rows);
    return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : undefined));
  }

  async find(value: string, by: ProductLookUp['by'] = 'code'): Promise<ShownProduct | undefined> {
    const text = await this.fixture.productQueries.find({ id: this.id, decimals: DECIMALS }, { by, value });
    return text === undefined ? undefined : (JSON.parse(text) as ShownProduct);
  }

  async get(value: string, by: ProductLookUp['by'] = 'code'): Promise<ShownProduct> {
    const shownProduct = await this.find(value, by);
    expect(shownProduct).toBeDefined();
    return shownProduct as ShownProduct;
  }

  async list(): Promise<ShownProduct[]> {
    const query = { filter: { lookUps: [], onlyOnStock: false }, orderBy: undefined, page: { offset: 0, limit: 100 } };
    const { json } = await this.fixture.productQueries.list({ id: this.id, decimals: DECIMALS }, query);
    return (JSON.parse(json) as { products: ShownProduct[] }).products;
  }

  async listCodes(
    filter: Partial<ProductFilter> = {},
    { orderBy, offset = 0, limit = 100 }: { orderBy?: string; offset?: number; limit?: number } = {},
  ): Promise<string[]> {
    const query = { filter: { lookUps: [], onlyOnStock: false, ...filter }, orderBy, page: { offset, limit } };
    const { json } = await this.fixture.productQueries.list({ id: this.id, decimals: DECIMALS }, query);
    return (JSON.parse(json) as { products: ShownProduct[] }).products.map(({ code }) => code);
  }

  async listCodesByPosition(orderBy: string): Promise<string[]> {
    const filter = { lookUps: [], onlyOnStock: false };
    const rows = await followPositions(
      2,
      (page) => this.fixture.productQueries.list({ id: this.id, decimals: DECIMALS }, { filter, orderBy, page }),
      (json) => (json as { readonly products: readonly object[] }).products,
    );
    return (rows as ShownProduct[]).map(({ code }) => code);
  }
}
