import type { Database } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import { MemoryAccessTokens } from './apps/memory-access-tokens.js';
import { MemoryTokenAdministration } from './apps/memory-token-administration.js';
import { MemoryAuditLog } from './apps/memory-audit-log.js';
import { MemoryApps } from './apps/memory-apps.js';
import { MemoryCards } from './cards/memory-cards.js';
import { MemoryConsents } from './consents/memory-consents.js';
import { MemoryCustomers } from './customers/memory-customers.js';
import { MemoryPersonalData } from './customers/memory-personal-data.js';
import { MemoryPersonalDataExport } from './customers/memory-personal-data-export.js';
import { MemoryDevices } from './devices/memory-devices.js';
import { MemoryKeyedCalls } from './keyed-calls/memory-keyed-calls.js';
import { MemoryAttendances } from './locations/memory-attendances.js';
import { MemoryLocations } from './locations/memory-locations.js';
import { MemorySessionAdministration } from './sessions/memory-session-administration.js';
import { MemorySessions } from './sessions/memory-sessions.js';
import type { State } from './state.js';

export interface PortOptions {
  readonly clock: Clock;
  readonly publicBase: () => string;
}

export function peoplePorts(state: State, { clock, publicBase }: PortOptions) {
  const accessTokens = new MemoryAccessTokens(state, clock);
  const apps = new MemoryApps(state, clock);
  const attendances = new MemoryAttendances(state, clock);
  const consents = new MemoryConsents(state, clock);
  const customers = new MemoryCustomers(state, clock);
  return {
    accessTokens,
    accessTokenQueries: accessTokens,
    apps,
    appQueries: apps,
    auditLog: new MemoryAuditLog(state, clock),
    attendances,
    attendanceQueries: attendances,
    cards: new MemoryCards(state, clock),
    consents,
    consentQueries: consents,
    customers,
    customerQueries: customers,
    devices: new MemoryDevices(state, clock),
    keyedCalls: new MemoryKeyedCalls(state, clock),
    locations: new MemoryLocations(state, clock, publicBase),
    personalData: new MemoryPersonalData(state, clock),
    personalDataQueries: new MemoryPersonalDataExport(state),
    sessions: new MemorySessions(state, clock),
    sessionAdministration: new MemorySessionAdministration(state, clock),
    tokenAdministration: new MemoryTokenAdministration(state, clock),
  } satisfies Partial<Database>;
}
