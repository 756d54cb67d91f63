/** Clears copies that caches between the library and the world hold. */
export interface CdnPurger {
  /** False when the installation has nothing to purge with. */
  readonly isConfigured: boolean;
  /** Asks for the copies of each address to be cleared; false when any of them may still be there. */
  purge(urls: readonly string[]): Promise<boolean>;
}
