import type { Change } from './change.js';
import { choosePreferredChannel, type PreferredChannel, type Reach } from './preferred-channel.js';
import { switchStatesOf, type SwitchStates } from './switch-state.js';

export interface Customer extends Reach {
  readonly registeredAt: Date;
}

export interface Consent extends SwitchStates {
  readonly preferred: PreferredChannel;
  readonly viberSubscribed: boolean;
  /** Time of the latest change; if no switch has changed, time of the registration. */
  readonly givenAt: Date;
}

export function consentOf(customer: Customer, lastChanges: readonly Change[]): Consent {
  const switches = switchStatesOf(lastChanges);
  const preferred = choosePreferredChannel(customer, (channel) => switches.channels[channel].effective);
  const [firstTime, ...otherTimes] = lastChanges.map(({ at }) => at);
  const givenAt = otherTimes.reduce((latest, at) => (at > latest ? at : latest), firstTime ?? customer.registeredAt);
  return { ...switches, preferred, viberSubscribed: customer.viberSubscribed, givenAt };
}
