import { createHash } from 'node:crypto';

const MAX_NAMES = 500;

/** Names prepared statements by the hash of their text, because pools may share connections. */
export class StatementNames {
  private readonly nameByText = new Map<string, string>();
  private generation = 0;

  /** Returns `undefined` for a statement that must not be prepared. */
  nameOf(text: string): string | undefined {
    const knownName = this.nameByText.get(text);
    if (knownName) return knownName;
    // Limits the number of names, because each connection keeps every name and lists have thousands of filter
    // combinations.
    if (this.nameByText.size === MAX_NAMES) return undefined;
    const suffix = this.generation === 0 ? '' : `_${this.generation}`;
    const name = `${createHash('sha1').update(text).digest('base64url')}${suffix}`;
    this.nameByText.set(text, name);
    return name;
  }

  /** Gives all statements new names, so that every connection prepares them again. */
  renew(): void {
    this.generation += 1;
    this.nameByText.clear();
  }
}
