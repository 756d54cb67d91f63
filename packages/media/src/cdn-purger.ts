export interface CdnPurger {
  /** False when no purger is configured. */
  readonly isConfigured: boolean;
  /** False when a cache may still hold one of the addresses. */
  purge(urls: readonly string[]): Promise<boolean>;
}
