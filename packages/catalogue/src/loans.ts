import { namesOf, type ProductDraft, type VariantDraft } from './product-drafts.js';

/** A row takes a name that another record (the lender) still has. If no later row renames the lender, the row fails. */
interface Loan {
  readonly row: number;
  readonly key: string;
  readonly name: string;
  readonly lender: ProductDraft | VariantDraft;
}

export class Loans {
  private readonly loans: Loan[] = [];
  private readonly lenders = new Map<string, Loan['lender']>();

  /** Records the loan and returns a function that undoes it. Loans must be undone in reverse order. */
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

  /** Call after the last row. Returns the message key of each row whose name still belongs to two records. */
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
