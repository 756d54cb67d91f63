import type { Request } from 'express';
import { isIPv6 } from 'node:net';

const IPV4_IN_IPV6 = '::ffff:';
const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;

/**
 * Returns the address of the client. IPv6 addresses are cut to their /64 network, because one client owns the whole
 * network.
 */
export function addressOf(request: Request): string {
  const address = withoutIpv6Prefix(request.ip ?? '');
  return isIPv6(address) ? networkOf(address) : address;
}

/** Removes the prefix of IPv4 addresses on an IPv6 socket, as in `::ffff:192.0.2.1`. */
export function withoutIpv6Prefix(address: string): string {
  const isIpv4 = address.startsWith(IPV4_IN_IPV6) && address.includes('.');
  return isIpv4 ? address.slice(IPV4_IN_IPV6.length) : address;
}

function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const headGroups = head === '' ? [] : head.split(':');
  const tailGroups = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? GROUPS - headGroups.length - tailGroups.length : 0;
  const groups = [...headGroups, ...Array.from({ length: zeros }, () => '0'), ...tailGroups];
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}
