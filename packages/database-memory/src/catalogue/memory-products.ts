import {
  noImages,
  ownersOfReplacedImages,
  DETAIL_COLUMNS,
  planProducts,
  priceEntries,
  productChanges,
  type CatalogueApp,
  type DesiredProduct,
  type FoundProducts,
  type ProductDraft,
  type ProductOptions,
  type Products,
  type UpsertedProducts,
  type VariantDraft,
} from '@back-office/catalogue';
import { asciiOf, DatabaseUnavailable } from '@back-office/database';
import { fieldsOf, type Clock } from '@back-office/kernel';
import { fileKeyOfUrl } from '@back-office/media';
import { randomBytes } from 'node:crypto';
import { audit } from '../apps/audit-entries.js';
import type { State } from '../state.js';
import { imagesOf, writeProducts } from './product-writes.js';
import type { StoredProduct, StoredVariant } from './records.js';

const SLUG_TOOLS = { asciiOf, randomSuffix: () => randomBytes(4).toString('hex') };

export interface MemoryProductsOptions {
  readonly publicBase: () => string;
  readonly currencyOf: (appId: number) => string | undefined;
}

export class MemoryProducts implements Products {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly options: MemoryProductsOptions,
  ) {}

  async upsert(
    { id: appId, currency, settings }: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    options: ProductOptions = {},
  ): Promise<UpsertedProducts> {
    const { explain, dryRun } = options;
    const { publicBase, currencyOf } = this.options;
    const keyOf = (url: string) => fileKeyOfUrl(url, publicBase(), settings.media.prefix);
    const work = (): UpsertedProducts => {
      if (currencyOf(appId) !== currency) throw new DatabaseUnavailable('The currency of the app has just changed');
      const existingProducts = readProducts(this.state, appId);
      const plan = planProducts(rows, existingProducts, SLUG_TOOLS, options);
      const owners = ownersOfReplacedImages(plan.drafts);
      const storedImages = new Map(owners.map((owner) => [owner, imagesOf(this.state, appId, owner)]));
      const changes = productChanges(plan.drafts, existingProducts, storedImages);
      const newDrafts = [...changes.products, ...changes.variants].filter((draft) => draft.id === null);
      const now = this.clock.now();
      audit(this.state, appId, now, priceEntries(existingProducts, changes));
      writeProducts(this.state, appId, changes, { now, libraryKeyOf: keyOf });
      if (dryRun) for (const draft of newDrafts) draft.id = null;
      const { outcomes, failedVariants } = plan;
      return { outcomes, failedVariants, explain: explain ? plan.explain() : undefined };
    };
    return this.state.memory.transaction(work, { dryRun });
  }
}

/** Returns all products of the app. Products without a row in the call do not affect the plan. */
function readProducts({ products, variants }: State, appId: number): FoundProducts {
  const drafts = new Map(products.all(appId).map((row) => [row.id, productDraft(row)]));
  const variantDrafts = variants.all(appId).flatMap((row) => {
    const product = drafts.get(row.product_id);
    return product === undefined ? [] : [variantDraft(row, product)];
  });
  return { products: [...drafts.values()], variants: variantDrafts };
}

function productDraft(row: StoredProduct): ProductDraft {
  const { id, code, barcode, external_ref, slug, name } = row;
  const identity = { id, code, barcode, external_ref, slug, name };
  return { ...identity, ...fieldsOf(row, DETAIL_COLUMNS), ...noImages(), isChanged: false };
}

function variantDraft(row: StoredVariant, product: ProductDraft): VariantDraft {
  const { id, code, barcode, external_ref, name, price, vat_rate: vatRate } = row;
  return { id, product, code, barcode, external_ref, name, price, vatRate, ...noImages(), isChanged: false };
}
