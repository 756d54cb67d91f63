import { Targets } from './targets.js';

describe('targets of webhooks', () => {
  it('exclude public addresses over plain HTTP', () => {
    expect(targetsWithNetworks.allowsAddress('8.8.8.8', true)).toBe(false);
    expect(targetsWithNetworks.allowsAddress('8.8.8.8', false)).toBe(true);
  });

  const publicTargets = new Targets([]);
  const targetsWithNetworks = new Targets(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    '::7f00:1',
    '64:ff9b:1::a00:1',
    'ff02::1',
    'words',
  ])('exclude %s', (address) => {
    expect(publicTargets.allowsAddress(address, false)).toBe(false);
  });

  it.each(['8.8.8.8', '93.184.216.34', '2606:2800:220:1::1'])('include %s', (address) => {
    expect(publicTargets.allowsAddress(address, false)).toBe(true);
  });

  it('include private networks that the operator allows, and no others', () => {
    const addresses = ['10.1.2.3', '10.2.0.1', '127.0.0.1', '127.0.0.2', 'fd12::1', '::ffff:10.1.0.9', '::1'];
    expect(addresses.filter((address) => targetsWithNetworks.allowsAddress(address, true))).toEqual([
      '10.1.2.3',
      '127.0.0.1',
      'fd12::1',
      '::ffff:10.1.0.9',
    ]);
  });

  it.each([
    ['https://shop.example/hook', true, true],
    ['http://shop.example/hook', false, true],
    ['https://10.1.2.3/', false, true],
    ['https://2130706433/', false, true],
    ['https://[::1]/', false, false],
    ['https://user@shop.example/', false, false],
    ['file:///etc/passwd', false, false],
    ['//shop.example', false, false],
  ])('allow the URL %s: %s, with private networks: %s', (url, isPublic, isAllowed) => {
    expect([publicTargets.allowsUrl(url), targetsWithNetworks.allowsUrl(url)]).toEqual([isPublic, isAllowed]);
  });
});
