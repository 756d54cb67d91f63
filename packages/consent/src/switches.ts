export const CHANNELS = ['email', 'sms', 'push', 'viber'] as const;
export type Channel = (typeof CHANNELS)[number];

export const SWITCHES = ['master', ...CHANNELS] as const;
export type Switch = (typeof SWITCHES)[number];

export const STATES = ['granted', 'revoked'] as const;
export type State = (typeof STATES)[number];

export function channelId(channel: Channel): number {
  return CHANNELS.indexOf(channel) + 1;
}

export function mapChannels<Value>(valueOf: (channel: Channel) => Value): Record<Channel, Value> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel, valueOf(channel)])) as Record<Channel, Value>;
}
