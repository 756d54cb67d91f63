import type { Change } from './change.js';
import { preferredChannel, type Preferred, type Reach } from './preferred-channel.js';
import { standingsOf, type Standings } from './standing.js';

export interface Customer extends Reach {
  readonly registeredAt: Date;
}

export interface Consent extends Standings {
  readonly preferred: Preferred;
  readonly viberSubscribed: boolean;
  /** The latest change, or else the registration. */
  readonly givenAt: Date;
}

/** The consent of a customer, from the last change of each switch that was ever moved. */
export function consentOf(customer: Customer, lastChanges: readonly Change[]): Consent {
  const standings = standingsOf(lastChanges);
  const preferred = preferredChannel(customer, (channel) => standings.channels[channel].effective);
  const [first, ...others] = lastChanges.map(({ at }) => at);
  const givenAt = others.reduce((latest, at) => (at > latest ? at : latest), first ?? customer.registeredAt);
  return { ...standings, preferred, viberSubscribed: customer.viberSubscribed, givenAt };
}
