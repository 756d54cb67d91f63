/** The channels of marketing, in the order of their ids. */
export const CHANNELS = ['email', 'sms', 'push', 'viber'] as const;
export type Channel = (typeof CHANNELS)[number];

/** `master` covers all marketing, the others one channel each. */
export const SWITCHES = ['master', ...CHANNELS] as const;
export type Switch = (typeof SWITCHES)[number];

export const STATES = ['granted', 'revoked'] as const;
export type State = (typeof STATES)[number];

/** Email 1, sms 2, push 3, viber 4. */
export function channelId(channel: Channel): number {
  return CHANNELS.indexOf(channel) + 1;
}

export function eachChannel<Value>(valueOf: (channel: Channel) => Value): Record<Channel, Value> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel, valueOf(channel)])) as Record<Channel, Value>;
}
