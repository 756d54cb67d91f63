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

/** Fixture of the contracts of the catalogue. */
export interface GivenCatalogue {
  readonly products: Products;
  readonly productQueries: ProductQueries;
  readonly attributes: Attributes;
  readonly attributeQueries: AttributeQueries;
  makeApp(): Promise<number>;
  /** Changes the currency of an app that has no amounts yet. */
  changeCurrency(appId: number, currency: string): Promise<void>;
  /** Adds pieces of a variant in a new warehouse. */
  addStock(appId: number, code: string, qty: number, sellable: boolean): Promise<void>;
  /** Usages of files that the media library does not have; without it, usages are not tested. */
  brokenUsages?(appId: number): Promise<readonly object[]>;
  forward(seconds: number): void;
  close(): Promise<void>;
}

export interface ShownVariant {
  readonly id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string | null;
  readonly price: number | null;
  readonly stock: { readonly on_hand: number; readonly reserved: number; readonly available: number };
}

export interface ShownProduct {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly vat_rate: number | null;
  readonly price: number | null;
  readonly lowest_price: number | null;
  readonly active: boolean;
  readonly sales_quantity: number;
  readonly images: readonly { readonly image_url: string; readonly alt: string | null }[];
  readonly variants: readonly ShownVariant[];
  readonly inserted_at: string;
  readonly updated_at: string;
}

export const DECIMALS = 2;

export function variant(code: string, more: Partial<DesiredVariant> = {}): DesiredVariant {
  return { code, images: [], ...more };
}

/** A product named like its code, with one variant `<code>-1`. */
export function product(code: string, more: Partial<DesiredProduct> = {}): DesiredProduct {
  return { code, name: code, images: [], variants: [variant(`${code}-1`)], ...more };
}

export class Shop {
  readonly app: CatalogueApp;

  constructor(
    readonly given: GivenCatalogue,
    readonly id: number,
  ) {
    this.app = { id, currency: 'RSD', settings: { media: { prefix: 'abcdefgh' } } };
  }

  /** Writes rows and expects that none fails. */
  async keep(...rows: readonly DesiredProduct[]): Promise<PlannedProduct[]> {
    const { outcomes } = await this.given.products.upsert(this.app, rows);
    const planned = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
    expect(planned).toHaveLength(rows.length);
    return planned;
  }

  /** The message key of each row; undefined for written rows. */
  async failures(...rows: readonly (DesiredProduct | string)[]): Promise<(string | undefined)[]> {
    const { outcomes } = await this.given.products.upsert(this.app, rows);
    return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : undefined));
  }

  async find(value: string, by: ProductLookUp['by'] = 'code'): Promise<ShownProduct | undefined> {
    const found = await this.given.productQueries.find({ id: this.id, decimals: DECIMALS }, { by, value });
    return found === undefined ? undefined : (JSON.parse(found) as ShownProduct);
  }

  async get(value: string, by: ProductLookUp['by'] = 'code'): Promise<ShownProduct> {
    const found = await this.find(value, by);
    expect(found).toBeDefined();
    return found as ShownProduct;
  }

  async codes(
    filter: Partial<ProductFilter> = {},
    { orderBy, offset = 0, limit = 100 }: { orderBy?: string; offset?: number; limit?: number } = {},
  ): Promise<string[]> {
    const asked = { filter: { lookUps: [], onlyOnStock: false, ...filter }, orderBy, page: { offset, limit } };
    const listed = await this.given.productQueries.list({ id: this.id, decimals: DECIMALS }, asked);
    return (JSON.parse(listed) as { products: ShownProduct[] }).products.map(({ code }) => code);
  }
}
