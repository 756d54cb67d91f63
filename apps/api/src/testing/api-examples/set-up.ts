import type { Scenario } from './scenario.js';

export async function showSetUp({ shop, examples }: Scenario): Promise<void> {
  await examples.show(shop, 'Set the bank account for transfers', 'patch /app/settings', {
    name: 'T-shirt shop',
    bank_account: { beneficiary: 'T-shirt shop', address: 'Knez Mihailova 1, Beograd', account_number: '160-445-02' },
    loyalty: { points_per_amount: 100 },
  });
  await examples.show(shop, 'Settings of the shop', 'get /app/settings');
  await examples.refuse(shop, 'Unknown currency', 'patch /app/settings', { currency: 'XXX' });
  await examples.show(shop, 'Add cash on delivery', 'put /payment_methods', {
    payment_methods: [{ code: 'courier', name: 'Cash on delivery', kind: 'other' }],
  });
  await examples.show(shop, 'Methods of the shop', 'get /payment_methods');
  await examples.refuse(shop, 'A new method without a name', 'put /payment_methods', {
    payment_methods: [{ code: 'gift-card', kind: 'other' }],
  });
  await examples.show(shop, 'Add a courier and a pickup point', 'put /shipment_methods', {
    shipment_methods: [
      { code: 'COURIER', name: 'Courier', price: 390, vat_rate: 20, free_from: 5_000 },
      {
        code: 'PICKUP',
        name: 'Pickup in the store',
        price: 0,
        vat_rate: 20,
        requires_pickup_point: true,
        pickup_points: [{ code: 'NS-01', name: 'Novi Sad, store' }],
      },
    ],
  });
  await examples.show(shop, 'Methods of the shop', 'get /shipment_methods');
  await examples.refuse(shop, 'A new method without a name', 'put /shipment_methods', {
    shipment_methods: [{ code: 'BIKE', price: 250, vat_rate: 20 }],
  });
  await examples.show(shop, 'Ten percent off with a coupon', 'put /promotions', {
    promotions: [{ code: 'AUTUMN', name: 'Autumn sale', kind: 'percentage', value: 10, coupon_code: 'AUTUMN10' }],
  });
  await examples.show(shop, 'Promotions of the shop', 'get /promotions');
  await examples.refuse(shop, 'A new promotion without a value', 'put /promotions', {
    promotions: [{ code: 'WINTER', name: 'Winter sale', kind: 'percentage' }],
  });
  await examples.show(shop, 'Add a gift voucher', 'put /vouchers', {
    vouchers: [{ code: 'GIFT-1000', amount: 1_000, valid_until: '2027-11-21T00:00:00' }],
  });
  await examples.show(shop, 'Vouchers of the shop', 'get /vouchers');
  await examples.refuse(shop, 'A new voucher without an amount', 'put /vouchers', {
    vouchers: [{ code: 'GIFT-2000' }],
  });
}

export async function showTokens({ api, shop, examples }: Scenario): Promise<void> {
  const create = 'post /access_tokens';
  const warehouse = await examples.show(shop, 'A token of the warehouse', create, {
    access_token: { name: 'Warehouse', scopes: ['stock:read', 'stock:write'] },
  });
  const { body } = await shop.post('/access_tokens', { access_token: { name: 'Admin', scopes: ['tokens:write'] } });
  const admin = api.clientWith(shop.appId, body.data.access_token);
  const one = `/access_tokens/${warehouse.id}`;
  const more = { access_token: { name: 'Warehouse', scopes: ['settings:write'] } };
  await examples.refuse(admin, 'Scope that the caller lacks', create, more);
  await examples.show(shop, 'Tokens of the shop', 'get /access_tokens');
  await examples.show(shop, 'Rename a token', `patch ${one}`, { access_token: { name: 'Warehouse in Beograd' } });
  await examples.refuse(admin, 'Scope that the caller lacks', `patch ${one}`, more);
  await examples.refuse(admin, 'Token with scopes that the caller lacks', `post ${one}/rotate`);
  await examples.show(shop, 'Rotate with an hour of overlap', `post ${one}/rotate`, {
    access_token: { overlap: 3_600 },
  });
  await examples.refuse(admin, 'Token with scopes that the caller lacks', `delete ${one}`);
  await examples.show(shop, 'Revoke a token', `delete ${one}`);
  const crm = (await shop.post('/access_tokens', { access_token: { name: 'CRM' } })).body.data;
  const webhook_endpoint = { url: 'https://crm.example/hooks' };
  await api.clientWith(shop.appId, crm.access_token).post('/webhook_endpoints', { webhook_endpoint });
  await examples.show(shop, 'Pause the webhook endpoints of the token too', `delete /access_tokens/${crm.id}`, {
    end_endpoints: true,
  });
}

export async function showAuditLog({ shop, examples }: Scenario): Promise<void> {
  await examples.show(shop, 'Latest changes', 'get /audit_log');
}
