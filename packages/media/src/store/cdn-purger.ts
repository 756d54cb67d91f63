export interface CdnPurger {
  /** False when no purger is configured. */
  readonly isConfigured: boolean;
  /** Returns false when a cache may still hold a copy of one of the URLs. */
  purge(urls: readonly string[]): Promise<boolean>;
}
