import { createHash } from 'node:crypto';

const MAX_NAMES = 500;

export interface NamedStatement {
  /** Absent for a statement that must not be prepared. */
  readonly name?: string;
  readonly text: string;
}

/** Names prepared statements by the hash of their text, because pools may share connections. */
export class StatementNames {
  private readonly statementByText = new Map<string, NamedStatement>();
  private generation = 0;
  private rewrite: (text: string) => string = (text) => text;

  /** Changes each statement before it is sent. */
  rewriteWith(rewrite: (text: string) => string): void {
    this.rewrite = rewrite;
    this.statementByText.clear();
  }

  named(text: string): NamedStatement {
    const known = this.statementByText.get(text);
    if (known) return known;
    // Limits the number of names, because each connection keeps every name and lists have thousands of filter
    // combinations.
    if (this.statementByText.size === MAX_NAMES) return { text: this.rewrite(text) };
    // PgBouncer shares prepared statements by their text, so a renewed statement needs a new text too.
    const sentText = this.rewrite(text);
    const currentText = this.generation === 0 ? sentText : `${sentText} /* ${this.generation} */`;
    const statement = { name: createHash('sha1').update(currentText).digest('base64url'), text: currentText };
    this.statementByText.set(text, statement);
    return statement;
  }

  /** Gives all statements new names, so that every connection prepares them again. */
  renew(): void {
    this.generation += 1;
    this.statementByText.clear();
  }
}
