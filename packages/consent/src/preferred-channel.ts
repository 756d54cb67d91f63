import { channelId, type Channel } from './switches.js';

/** How a customer can be reached, apart from consent; every customer has an e-mail address. */
export interface Reach {
  readonly hasDevice: boolean;
  readonly hasPhone: boolean;
  readonly viberSubscribed: boolean;
  readonly chosenChannelId: number | null;
}

export interface Preferred {
  /** Null when no channel is effective and reaches the customer. */
  readonly channelId: number | null;
  readonly source: 'auto' | 'manual';
}

const REACHES: readonly (readonly [Channel, (reach: Reach) => boolean])[] = [
  ['push', ({ hasDevice }) => hasDevice],
  ['viber', ({ viberSubscribed }) => viberSubscribed],
  ['email', () => true],
  ['sms', ({ hasPhone }) => hasPhone],
];

/** The chosen channel, effective or not; else the first effective channel that reaches the customer. */
export function preferredChannel(reach: Reach, isEffective: (channel: Channel) => boolean): Preferred {
  if (reach.chosenChannelId !== null) return { channelId: reach.chosenChannelId, source: 'manual' };
  const [first] = REACHES.find(([channel, reaches]) => reaches(reach) && isEffective(channel)) ?? [];
  return { channelId: first === undefined ? null : channelId(first), source: 'auto' };
}
