import type { Actor, TokenHolder } from '@back-office/apps';
import type { Request } from 'express';
import { withoutIpv6Prefix } from './caller-address.js';

/** Returns the caller with the full address; rate limits use only the network of the address. */
export function actorOf(request: Request, { kind, tokenId, customerId }: TokenHolder): Actor {
  const requestId = request.headers['x-request-id'];
  return {
    kind: kind === 'session' ? kind : 'app',
    tokenId,
    customerId,
    address: withoutIpv6Prefix(request.ip ?? '') || null,
    requestId: String(requestId),
  };
}
