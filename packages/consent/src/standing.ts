import { FIRST_STATE, type Change } from './change.js';
import { eachChannel, type Channel, type State, type Switch } from './switches.js';

/** Where a switch stands. */
export interface Standing {
  readonly state: State;
  /** The change that brought it there; without one nobody has ever moved it. */
  readonly last: Change | undefined;
}

export interface ChannelStanding extends Standing {
  /** Whether the channel may be used for marketing: it is granted, and so is the master. */
  readonly effective: boolean;
}

export interface Standings {
  readonly master: Standing;
  readonly channels: Readonly<Record<Channel, ChannelStanding>>;
}

/** Where all switches stand after the last change of each that was ever moved. */
export function standingsOf(lastChanges: readonly Change[]): Standings {
  const master = standingOf('master', lastChanges);
  const channels = eachChannel((channel) => {
    const own = standingOf(channel, lastChanges);
    return { ...own, effective: master.state === 'granted' && own.state === 'granted' };
  });
  return { master, channels };
}

function standingOf(channel: Switch, lastChanges: readonly Change[]): Standing {
  const last = lastChanges.find((change) => change.channel === channel);
  return { state: last?.to ?? FIRST_STATE, last };
}
