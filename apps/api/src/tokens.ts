import type { Database } from '@back-office/database';
import type { WebhookSender } from '@back-office/events';
import type { Clock } from '@back-office/kernel';
import type { RefundGateway } from '@back-office/proforma';
import type { ServiceIdentifier } from 'inversify';
import type { AppAdministration, CachedTokens, TokenUses } from './apps/index.js';
import type { EventWaits } from './events/index.js';
import type { Route } from './http/route.js';
import type { LibraryParts } from './media/index.js';
import type { ExpirySweep, ProformaActions, Refunds } from './proformas/index.js';
import type { WebhookDispatcher, WebhookMessages } from './webhooks/index.js';

function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol.for(name);
}

/** Keys of the objects in the container. */
export const TOKENS = {
  Clock: token<Clock>('Clock'),
  RefundGateway: token<RefundGateway>('RefundGateway'),
  Library: token<LibraryParts>('Library'),
  Database: token<Database>('Database'),
  Apps: token<AppAdministration>('Apps'),
  AccessTokens: token<CachedTokens>('AccessTokens'),
  EventWaits: token<EventWaits>('EventWaits'),
  TokenUses: token<TokenUses>('TokenUses'),
  Refunds: token<Refunds>('Refunds'),
  ProformaActions: token<ProformaActions>('ProformaActions'),
  ExpirySweep: token<ExpirySweep>('ExpirySweep'),
  WebhookSender: token<WebhookSender>('WebhookSender'),
  WebhookMessages: token<WebhookMessages>('WebhookMessages'),
  WebhookDispatcher: token<WebhookDispatcher>('WebhookDispatcher'),
  Routes: token<Route[]>('Routes'),
} as const;
