import { channelId, type Channel } from './switches.js';

/** By which ways a customer can be reached at all, consent aside; an e-mail address everybody has. */
export interface Reach {
  readonly hasDevice: boolean;
  readonly hasPhone: boolean;
  readonly viberSubscribed: boolean;
  /** The channel that the customer has chosen, by its id. */
  readonly chosenChannelId: number | null;
}

export interface Preferred {
  /** Null when no channel is both effective and possible. */
  readonly channelId: number | null;
  readonly source: 'auto' | 'manual';
}

const REACHES: readonly (readonly [Channel, (reach: Reach) => boolean])[] = [
  ['push', ({ hasDevice }) => hasDevice],
  ['viber', ({ viberSubscribed }) => viberSubscribed],
  ['email', () => true],
  ['sms', ({ hasPhone }) => hasPhone],
];

/** What the customer has chosen, whether or not it is effective; else the first channel that reaches and may be used. */
export function preferredChannel(reach: Reach, isEffective: (channel: Channel) => boolean): Preferred {
  if (reach.chosenChannelId !== null) return { channelId: reach.chosenChannelId, source: 'manual' };
  const [first] = REACHES.find(([channel, reaches]) => reaches(reach) && isEffective(channel)) ?? [];
  return { channelId: first === undefined ? null : channelId(first), source: 'auto' };
}
