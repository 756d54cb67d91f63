import { fixtureOf } from '@back-office/database/testing';
import { ManualClock } from '@back-office/kernel/testing';
import { eventPorts, mediaPortsOf, memoryCalls, peoplePorts, State } from '../src/index.js';

export async function openFixture() {
  const [state, clock] = [new State(), new ManualClock()];
  const base = 'https://media.example';
  const media = mediaPortsOf(state, clock, { base, isPublished: false });
  return fixtureOf(
    {
      calls: memoryCalls(state),
      ...eventPorts(state, clock),
      ...peoplePorts(state, { clock, publicBase: () => base }),
      ...media,
    },
    clock,
  );
}
