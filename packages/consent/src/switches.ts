/** The channels of marketing, in the order of their ids. */
export const CHANNELS = ['email', 'sms', 'push', 'viber'] as const;
export type Channel = (typeof CHANNELS)[number];

/** What a customer grants and revokes: all marketing at once, or one channel of it. */
export const SWITCHES = ['master', ...CHANNELS] as const;
export type Switch = (typeof SWITCHES)[number];

export const STATES = ['granted', 'revoked'] as const;
export type State = (typeof STATES)[number];

/** Email 1, sms 2, push 3, viber 4. */
export function channelId(channel: Channel): number {
  return CHANNELS.indexOf(channel) + 1;
}

/** One value for each channel. */
export function eachChannel<Value>(valueOf: (channel: Channel) => Value): Record<Channel, Value> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel, valueOf(channel)])) as Record<Channel, Value>;
}
