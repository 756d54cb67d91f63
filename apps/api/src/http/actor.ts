import type { Actor, TokenHolder } from '@back-office/apps';
import type { Request } from 'express';
import { withoutIpv6Prefix } from './caller-address.js';
import { serviceRequestIdOf } from './request-log.js';

/** Returns the actor with the full IP address for the audit log; only rate limits shorten it to a network. */
export function actorOf(request: Request, { kind, tokenId, customerId }: TokenHolder): Actor {
  const requestId = request.headers['x-request-id'];
  return {
    kind: kind === 'session' ? kind : 'app',
    tokenId,
    customerId,
    address: withoutIpv6Prefix(request.ip ?? '') || null,
    requestId: String(requestId),
    serviceRequestId: serviceRequestIdOf(request),
  };
}
