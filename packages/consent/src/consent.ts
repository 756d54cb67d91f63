import type { Change } from './change.js';
import { preferredChannel, type Preferred, type Reach } from './preferred-channel.js';
import { switchStates, type SwitchStates } from './switch-state.js';

export interface Customer extends Reach {
  readonly registeredAt: Date;
}

export interface Consent extends SwitchStates {
  readonly preferred: Preferred;
  readonly viberSubscribed: boolean;
  /** Time of the latest change, else of the registration. */
  readonly givenAt: Date;
}

/** `lastChanges` has the last change of each switch that was ever changed. */
export function consentOf(customer: Customer, lastChanges: readonly Change[]): Consent {
  const switches = switchStates(lastChanges);
  const preferred = preferredChannel(customer, (channel) => switches.channels[channel].effective);
  const [first, ...others] = lastChanges.map(({ at }) => at);
  const givenAt = others.reduce((latest, at) => (at > latest ? at : latest), first ?? customer.registeredAt);
  return { ...switches, preferred, viberSubscribed: customer.viberSubscribed, givenAt };
}
