import {
  mapChannels,
  switchStatesOf,
  STATES,
  SWITCHES,
  type ChannelState,
  type Consent,
  type KnownConsent,
  type SwitchState,
  type StoredChange,
} from '@back-office/consent';
import { formatDateTime, formatOptional } from '@back-office/kernel';
import {
  anyObject,
  dateTime,
  integer,
  listOf,
  component,
  nullable,
  oneOf,
  record,
  text,
  boolean,
  type TypeOf,
} from '../http/shapes.js';

const stateShape = oneOf(STATES);

const ChannelConsentShape = component('ChannelConsent', {
  state: stateShape,
  effective: boolean,
  source: nullable(text),
  changed_at: nullable(dateTime),
});

export const ConsentShape = component('Consent', {
  master: boolean,
  channels: record(mapChannels(() => ChannelConsentShape)),
  preferred: record({ notification_channel_id: nullable(integer), source: oneOf(['auto', 'manual']) }),
  viber_subscribed: boolean,
  given_at: dateTime,
});

export function presentConsent(consent: Consent): TypeOf<typeof ConsentShape> {
  const { master, channels, preferred, viberSubscribed, givenAt } = consent;
  return {
    master: master.state === 'granted',
    channels: mapChannels((channel) => presentChannel(channels[channel])),
    preferred: { notification_channel_id: preferred.channelId, source: preferred.source },
    viber_subscribed: viberSubscribed,
    given_at: formatDateTime(givenAt),
  };
}

function presentChannel({
  state: channelState,
  effective,
  lastChange,
}: ChannelState): TypeOf<typeof ChannelConsentShape> {
  return {
    state: channelState,
    effective,
    source: lastChange?.source ?? null,
    changed_at: formatOptional(lastChange?.at ?? null),
  };
}

export const ConsentChangeShape = component('ConsentChange', {
  id: integer,
  customer_id: integer,
  channel: oneOf(SWITCHES),
  from: stateShape,
  to: stateShape,
  source: text,
  changed_at: dateTime,
});

export function presentChange(change: StoredChange): TypeOf<typeof ConsentChangeShape> {
  const { id, customerId, channel, from, to, source, at } = change;
  return { id, customer_id: customerId, channel, from, to, source, changed_at: formatDateTime(at) };
}

const stateWithEvidence = { state: nullable(stateShape), evidence: nullable(ConsentChangeShape) };

export const ConsentAtShape = component('ConsentAt', {
  customer_id: integer,
  at: dateTime,
  registered_at: dateTime,
  master: record(stateWithEvidence),
  channels: record(mapChannels(() => record({ ...stateWithEvidence, effective: boolean }))),
});

/** At a time before the customer's registration, all states are null and no channel is effective. */
export function presentConsentAt(knownConsent: KnownConsent, at: Date, end: Date): TypeOf<typeof ConsentAtShape> {
  const { customerId, customer, lastChanges } = knownConsent;
  const { master, channels } = switchStatesOf(lastChanges);
  const isRegistered = customer.registeredAt < end;
  const presentState = (switchState: SwitchState) => {
    const lastChange = lastChanges.find((change) => change === switchState.lastChange);
    return { state: isRegistered ? switchState.state : null, evidence: lastChange ? presentChange(lastChange) : null };
  };
  return {
    customer_id: customerId,
    at: formatDateTime(at),
    registered_at: formatDateTime(customer.registeredAt),
    master: presentState(master),
    channels: mapChannels((channel) => ({
      ...presentState(channels[channel]),
      effective: isRegistered && channels[channel].effective,
    })),
  };
}

export const InvalidConsentShape = record({
  errors: record({ CustomerChannelConsents: listOf(text), fields: anyObject }),
});
