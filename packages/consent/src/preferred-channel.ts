import { channelId, type Channel } from './switches.js';

/** Channels that reach the customer, and the channel that the customer chose. */
export interface Reach {
  readonly hasDevice: boolean;
  readonly hasPhone: boolean;
  readonly viberSubscribed: boolean;
  readonly chosenChannelId: number | null;
}

export interface PreferredChannel {
  readonly channelId: number | null;
  readonly source: 'auto' | 'manual';
}

const REACH_CHECKS: readonly (readonly [Channel, (reach: Reach) => boolean])[] = [
  ['push', ({ hasDevice }) => hasDevice],
  ['viber', ({ viberSubscribed }) => viberSubscribed],
  ['email', () => true],
  ['sms', ({ hasPhone }) => hasPhone],
];

/**
 * Returns the channel that the customer chose, even if it is not effective. Without a choice, returns the first
 * effective channel that reaches the customer.
 */
export function choosePreferredChannel(reach: Reach, isEffective: (channel: Channel) => boolean): PreferredChannel {
  if (reach.chosenChannelId !== null) return { channelId: reach.chosenChannelId, source: 'manual' };
  const [firstChannel] = REACH_CHECKS.find(([channel, canReach]) => canReach(reach) && isEffective(channel)) ?? [];
  return { channelId: firstChannel === undefined ? null : channelId(firstChannel), source: 'auto' };
}
