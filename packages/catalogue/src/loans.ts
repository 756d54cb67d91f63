import { namesOf, type ProductDraft, type VariantDraft } from './product-drafts.js';

/** A name that a row took from its holder. The row fails if two records hold the name in the end. */
interface Loan {
  readonly row: number;
  readonly key: string;
  readonly name: string;
  readonly lender: ProductDraft | VariantDraft;
}

/** Names that rows have taken before a later row makes their holders give them up. */
export class Loans {
  private readonly loans: Loan[] = [];
  private readonly lenders = new Map<string, Loan['lender']>();

  /** Returns a function that undoes this; undo in reverse order. */
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

  /** The holder of the name before it was first borrowed. */
  lenderOf(name: string): Loan['lender'] | undefined {
    return this.lenders.get(name);
  }

  /** Rows whose names two records hold in the end, with their message keys. */
  unreturned(drafts: () => ReadonlySet<ProductDraft | VariantDraft>): ReadonlyMap<number, string> {
    if (this.loans.length === 0) return new Map();
    const holders = new Map(this.loans.map(({ name }) => [name, 0]));
    for (const name of [...drafts()].flatMap(namesOf)) {
      const count = holders.get(name);
      if (count !== undefined) holders.set(name, count + 1);
    }
    return new Map(this.loans.filter(({ name }) => (holders.get(name) ?? 0) > 1).map(({ row, key }) => [row, key]));
  }
}
