import { uniqueValuesOf, type ProductDraft, type VariantDraft } from './product-drafts.js';

export interface RowFailure {
  readonly key: string;
  /** Index of the variant that makes the row fail; `undefined` if it is the product. */
  readonly variantIndex: number | undefined;
}

/**
 * A row takes a unique value of another record, such as its code. If no later row changes that record's value, the row
 * fails.
 */
interface Takeover {
  readonly row: number;
  readonly failure: RowFailure;
  /** Text of `uniqueValueOf`. */
  readonly uniqueValue: string;
  readonly formerHolder: ProductDraft | VariantDraft;
}

export class Takeovers {
  private readonly takeovers: Takeover[] = [];
  private readonly formerHolders = new Map<string, Takeover['formerHolder']>();

  /** Returns a function that removes the takeover. These functions must be called in reverse order. */
  add(takeover: Takeover): () => void {
    const { length } = this.takeovers;
    this.takeovers.push(takeover);
    if (this.formerHolders.has(takeover.uniqueValue)) return () => void this.takeovers.splice(length);
    this.formerHolders.set(takeover.uniqueValue, takeover.formerHolder);
    return () => {
      this.takeovers.splice(length);
      this.formerHolders.delete(takeover.uniqueValue);
    };
  }

  formerHolderOf(uniqueValue: string): Takeover['formerHolder'] | undefined {
    return this.formerHolders.get(uniqueValue);
  }

  /** Call after the last row. Returns the failure of each row whose value still belongs to two records. */
  findConflicts(drafts: () => ReadonlySet<ProductDraft | VariantDraft>): ReadonlyMap<number, RowFailure> {
    if (this.takeovers.length === 0) return new Map();
    const holderCounts = new Map(this.takeovers.map(({ uniqueValue }) => [uniqueValue, 0]));
    for (const uniqueValue of [...drafts()].flatMap(uniqueValuesOf)) {
      const count = holderCounts.get(uniqueValue);
      if (count !== undefined) holderCounts.set(uniqueValue, count + 1);
    }
    return new Map(
      this.takeovers
        .filter(({ uniqueValue }) => (holderCounts.get(uniqueValue) ?? 0) > 1)
        .map(({ row, failure }) => [row, failure]),
    );
  }
}
