import { namesOf, type ProductDraft, type VariantDraft } from './product-drafts.js';

/** A name that a row has taken from a record that held it; should two records hold it in the end, the row fails. */
interface Loan {
  readonly row: number;
  readonly key: string;
  readonly name: string;
  readonly lender: ProductDraft | VariantDraft;
}

/** The names that rows of a call have taken, hoping that a later row makes their holders give them up. */
export class Loans {
  private readonly loans: Loan[] = [];
  private readonly lenders = new Map<string, Loan['lender']>();

  /** Answers how to take it back, which is asked for in the opposite order. */
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

  /** Who held the name before it was borrowed for the first time. */
  lenderOf(name: string): Loan['lender'] | undefined {
    return this.lenders.get(name);
  }

  /** The rows whose loans were not paid back among what there will be, and the key of each. */
  unpaid(drafts: () => ReadonlySet<ProductDraft | VariantDraft>): ReadonlyMap<number, string> {
    if (this.loans.length === 0) return new Map();
    const holders = new Map(this.loans.map(({ name }) => [name, 0]));
    for (const name of [...drafts()].flatMap(namesOf)) {
      const count = holders.get(name);
      if (count !== undefined) holders.set(name, count + 1);
    }
    return new Map(this.loans.filter(({ name }) => (holders.get(name) ?? 0) > 1).map(({ row, key }) => [row, key]));
  }
}
