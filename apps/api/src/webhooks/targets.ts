import ipaddr from 'ipaddr.js';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Range of public addresses; all other ranges contain translated, local or reserved addresses. */
const GLOBAL_IPV6: Network = ipaddr.parseCIDR('2000::/3');

/** Decides which addresses webhooks may reach: public addresses, and networks that the operator has allowed. */
export class Targets {
  private readonly allowedNetworks: readonly Network[];

  /** `allowedNetworks` contains addresses, or networks such as `10.1.0.0/16`. */
  constructor(allowedNetworks: readonly string[]) {
    this.allowedNetworks = allowedNetworks.map(parseNetwork);
  }

  /** Whether webhooks may reach the address. Plain HTTP (`isPlain`) is limited to the allowed networks. */
  allowsAddress(text: string, isPlain: boolean): boolean {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4 address inside an IPv6 address is checked as IPv4.
    const address = ipaddr.process(text);
    if (this.allowedNetworks.some((network) => contains(network, address))) return true;
    return !isPlain && address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(GLOBAL_IPV6, address));
  }

  /** Whether the URL is allowed, before its host name is resolved. */
  allowsUrl(text: string): boolean {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password, hostname } = new URL(text);
    const isProtocolAllowed = protocol === 'https:' || (protocol === 'http:' && this.allowedNetworks.length > 0);
    if (!isProtocolAllowed || username !== '' || password !== '') return false;
    const address = addressOf(hostname);
    return address === undefined ? hostname !== '' : this.allowsAddress(address, protocol === 'http:');
  }
}

/** Returns the IP address in the host of a URL; `undefined` when the host is a name. */
export function addressOf(hostname: string): string | undefined {
  const text = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(text) ? text : undefined;
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network;
}

function contains([network, bits]: Network, address: ReturnType<typeof ipaddr.process>): boolean {
  return network.kind() === address.kind() && (address as ipaddr.IPv6).match(network, bits);
}
