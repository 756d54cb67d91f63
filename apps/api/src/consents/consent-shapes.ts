import {
  eachChannel,
  standingsOf,
  STATES,
  SWITCHES,
  type ChannelStanding,
  type Consent,
  type Standing,
} from '@back-office/consent';
import { formatDateTime, formatOptional } from '@back-office/kernel';
import {
  anyObject,
  dateTime,
  integer,
  listOf,
  named,
  nullable,
  oneOf,
  record,
  text,
  truth,
  type Of,
} from '../http/shapes.js';
import type { KnownConsent, StoredChange } from './typeorm-consents.js';

const state = oneOf(STATES);

const ChannelConsentShape = named('ChannelConsent', {
  state,
  effective: truth,
  source: nullable(text),
  changed_at: nullable(dateTime),
});

export const ConsentShape = named('Consent', {
  master: truth,
  channels: record(eachChannel(() => ChannelConsentShape)),
  preferred: record({ notification_channel_id: nullable(integer), source: oneOf(['auto', 'manual']) }),
  viber_subscribed: truth,
  given_at: dateTime,
});

export function presentConsent(consent: Consent): Of<typeof ConsentShape> {
  const { master, channels, preferred, viberSubscribed, givenAt } = consent;
  return {
    master: master.state === 'granted',
    channels: eachChannel((channel) => presentChannel(channels[channel])),
    preferred: { notification_channel_id: preferred.channelId, source: preferred.source },
    viber_subscribed: viberSubscribed,
    given_at: formatDateTime(givenAt),
  };
}

function presentChannel({ state: own, effective, last }: ChannelStanding): Of<typeof ChannelConsentShape> {
  return { state: own, effective, source: last?.source ?? null, changed_at: formatOptional(last?.at ?? null) };
}

export const ConsentChangeShape = named('ConsentChange', {
  id: integer,
  customer_id: integer,
  channel: oneOf(SWITCHES),
  from: state,
  to: state,
  source: text,
  changed_at: dateTime,
});

export function presentChange(change: StoredChange): Of<typeof ConsentChangeShape> {
  const { id, customerId, channel, from, to, source, at } = change;
  return { id, customer_id: customerId, channel, from, to, source, changed_at: formatDateTime(at) };
}

const standing = { state: nullable(state), evidence: nullable(ConsentChangeShape) };

export const ConsentAtShape = named('ConsentAt', {
  customer_id: integer,
  at: dateTime,
  registered_at: dateTime,
  master: record(standing),
  channels: record(eachChannel(() => record({ ...standing, effective: truth }))),
});

/** Before the registration there was nobody to grant or revoke anything: no state, and nothing effective. */
export function presentConsentAt(known: KnownConsent, at: Date, end: Date): Of<typeof ConsentAtShape> {
  const { customerId, customer, lastChanges } = known;
  const { master, channels } = standingsOf(lastChanges);
  const isRegistered = customer.registeredAt < end;
  const presentStanding = (own: Standing) => {
    const last = lastChanges.find((change) => change === own.last);
    return { state: isRegistered ? own.state : null, evidence: last ? presentChange(last) : null };
  };
  return {
    customer_id: customerId,
    at: formatDateTime(at),
    registered_at: formatDateTime(customer.registeredAt),
    master: presentStanding(master),
    channels: eachChannel((channel) => ({
      ...presentStanding(channels[channel]),
      effective: isRegistered && channels[channel].effective,
    })),
  };
}

/** A channel or a state that does not exist, with what was sent. */
export const InvalidConsentShape = record({
  errors: record({ CustomerChannelConsents: listOf(text), fields: anyObject }),
});
