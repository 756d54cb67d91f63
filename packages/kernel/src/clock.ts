/** Where the time comes from. Implementations never go backwards by design of the caller; they may stand still. */
export interface Clock {
  now(): Date;
}
