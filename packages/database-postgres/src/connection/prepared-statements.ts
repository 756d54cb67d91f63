import { createHash, randomBytes } from 'node:crypto';
import { forCluster } from './outer-app.js';

const MAX_NAMES = 500;

/** Marks a statement whose plan does not depend on the number of rows, so that bulk writes prepare it, too. */
export const FIXED_PLAN = '/* fixed plan */';

export interface NamedStatement {
  /** Absent for a statement that must not be prepared. */
  readonly name?: string;
  readonly text: string;
  readonly isPlanFixed?: boolean;
}

/** Names prepared statements by the hash of their text, because pools may share connections. */
export class PreparedStatements {
  private readonly statementByText = new Map<string, NamedStatement>();
  private tag = '';
  private isOnCluster = false;

  /** Sends all later statements as {@link forCluster} returns them. */
  adaptToCluster(): void {
    this.isOnCluster = true;
    this.statementByText.clear();
  }

  named(text: string): NamedStatement {
    const known = this.statementByText.get(text);
    if (known) return known;
    // Limits the number of names, because each connection keeps every name and lists have thousands of filter
    // combinations.
    if (this.statementByText.size === MAX_NAMES) return { text: this.adapted(text) };
    // PgBouncer shares prepared statements of all processes by their text, so a renewed statement needs a new text too.
    const sentText = this.adapted(text);
    const currentText = this.tag === '' ? sentText : `${sentText} /* ${this.tag} */`;
    const statement = {
      name: createHash('sha1').update(currentText).digest('base64url'),
      text: currentText,
      isPlanFixed: text.includes(FIXED_PLAN),
    };
    this.statementByText.set(text, statement);
    return statement;
  }

  /** Changes when the names are renewed. */
  get generation(): string {
    return this.tag;
  }

  /**
   * Gives all statements new names, so that every connection prepares them again. Does nothing if another failure has
   * already renewed the names of this generation.
   */
  renew(generation: string): void {
    if (generation !== this.tag) return;
    this.tag = randomBytes(6).toString('hex');
    this.statementByText.clear();
  }

  private adapted(text: string): string {
    return this.isOnCluster ? forCluster(text) : text;
  }
}
