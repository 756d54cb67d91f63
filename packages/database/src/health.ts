export interface DatabaseHealth {
  /** Throws unless the database answers. */
  ping(): Promise<void>;
  /** Numbers of open and idle connections, and of callers that wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly awaited: number };
}
