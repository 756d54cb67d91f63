import { namesOf, type ProductDraft, type VariantDraft } from './product-drafts.js';

/**
 * A row may take a name whose holder a later row renames. If the holder is not renamed, two records end up with the
 * name and the row fails.
 */
interface Loan {
  readonly row: number;
  readonly key: string;
  readonly name: string;
  readonly lender: ProductDraft | VariantDraft;
}

export class Loans {
  private readonly loans: Loan[] = [];
  private readonly lenders = new Map<string, Loan['lender']>();

  /** Returns a function that undoes the loan. Loans must be undone in reverse order. */
  take(loan: Loan): () => void {
    const { length } = this.loans;
    this.loans.push(loan);
    if (this.lenders.has(loan.name)) return () => void this.loans.splice(length);
    this.lenders.set(loan.name, loan.lender);
    return () => {
      this.loans.splice(length);
      this.lenders.delete(loan.name);
    };
  }

  lenderOf(name: string): Loan['lender'] | undefined {
    return this.lenders.get(name);
  }

  /** Keys are the rows whose name two records have after all rows; values are their message keys. */
  findUnreturned(drafts: () => ReadonlySet<ProductDraft | VariantDraft>): ReadonlyMap<number, string> {
    if (this.loans.length === 0) return new Map();
    const holderCounts = new Map(this.loans.map(({ name }) => [name, 0]));
    for (const name of [...drafts()].flatMap(namesOf)) {
      const count = holderCounts.get(name);
      if (count !== undefined) holderCounts.set(name, count + 1);
    }
    return new Map(
      this.loans.filter(({ name }) => (holderCounts.get(name) ?? 0) > 1).map(({ row, key }) => [row, key]),
    );
  }
}
