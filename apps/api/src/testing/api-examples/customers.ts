import type { Scenario } from './scenario.js';

const ANA = { external_ref: 'crm-17', email: 'ana@example.com', first_name: 'Ana', last_name: 'Kovačević' };
const PHONE = { uuid: '4f9c2a6e-phone', device_type: 'android' };

export async function showCustomers(scenario: Scenario): Promise<void> {
  const { shop, examples } = scenario;
  const ana = await examples.show(shop, 'Customer of a CRM', 'post /customers', {
    customer: { ...ANA, phone: '+381601112223' },
  });
  await examples.show(shop, 'Customers by name', 'get /customers');
  await examples.show(shop, 'Customer by id', `get ${pathOf(ana)}`);
  await examples.show(shop, 'A card of a customer', 'post /int/cards', {
    card: { barcode: '2990000000017', customer_external_ref: 'crm-17' },
  });
  await examples.refuse(shop, 'Unknown customer', 'post /int/cards', {
    card: { barcode: '2990000000024', customer_external_ref: 'crm-18' },
  });
  await examples.show(shop, 'Stores of the shop', 'post /int/app_locations', {
    app_locations: [
      {
        code: 'NS-01',
        name: 'Novi Sad, store',
        latitude: 45.2551,
        longitude: 19.8452,
        address_line_1: 'Zmaj Jovina 8',
        city: 'Novi Sad',
        postcode: '21000',
      },
    ],
  });
  await showPhone(scenario);
  await examples.show(shop, 'Consent with its changes', `get ${pathOf(ana, '/consents')}`);
}

async function showPhone({ api, shop, examples }: Scenario): Promise<void> {
  const session = { device: PHONE, customer_external_ref: 'crm-17' };
  await examples.show(shop, 'A signed-in customer', 'post /sessions', { session });
  await examples.refuse(shop, 'Unknown customer', 'post /sessions', {
    session: { device: PHONE, customer_external_ref: 'crm-18' },
  });
  const start = async (fields: object) =>
    api.clientWith(shop.appId, (await shop.post('/sessions', { session: fields })).body.data.access_token);
  const phone = await start(session);
  const stranger = await start({ device: { uuid: 'kiosk-3' } });
  await examples.show(phone, 'Store a push token', 'post /session/firebase/token', { firebase_token: 'push-token' });
  await examples.refuse(phone, 'Blank push token', 'post /session/firebase/token', { firebase_token: ' ' });
  await examples.show(phone, 'Register for pushes', 'put /notification_device', {
    notification_device: { messaging_token: 'push-token', notification_channel_id: 3 },
  });
  await examples.show(phone, 'A visit of the store', 'post /customer/attendance', {
    attendance: { latitude: 45.2552, longitude: 19.8453, accuracy: 12 },
  });
  await examples.refuse(phone, 'No store within 200 m', 'post /customer/attendance', {
    attendance: { latitude: 44.8125, longitude: 20.4612 },
  });
  await examples.show(phone, 'Visits of the customer', 'get /customer/attendances');
  await examples.show(phone, 'Consent by channel', 'get /customer/consents');
  await examples.refuse(stranger, 'Anonymous session', 'get /customer/consents');
  const noSms = { channel: 'sms', state: 'revoked' };
  await examples.show(phone, 'Revoke text messages', 'put /customer/consent', noSms);
  await examples.refuse(stranger, 'Anonymous session', 'put /customer/consent', noSms);
  await examples.show(phone, 'Grant marketing', 'put /customer/consents/master', { state: 'granted' });
  await examples.refuse(stranger, 'Anonymous session', 'put /customer/consents/master', { state: 'granted' });
  await examples.show(phone, 'Changes of consent', 'get /customer/consents/history');
  await examples.refuse(stranger, 'Anonymous session', 'get /customer/consents/history');
  await examples.show(shop, 'Sessions of all customers', 'get /sessions');
}

export async function eraseCustomer({ api, shop, examples }: Scenario): Promise<void> {
  // On some databases a refused insert uses up an id, so this call follows all calls that add customers.
  await examples.refuse(shop, 'Email in use', 'post /customers', { customer: ANA });
  const [ana] = (await shop.get('/customers?externalRef=crm-17')).body.data;
  await examples.show(shop, 'Records about a customer', `get ${pathOf(ana, '/export')}`);
  const { body } = await shop.post('/sessions', { session: { device: PHONE } });
  const phone = api.clientWith(shop.appId, body.data.access_token);
  await examples.show(phone, 'Sign out', 'delete /sessions/current');
  const [session] = (await shop.get('/sessions')).body.data;
  await examples.show(shop, 'End a session', `delete /sessions/${session.id}`);
  await examples.show(shop, 'End all sessions of a customer', `delete /sessions?customer_id=${ana.id}`);
  await examples.refuse(shop, 'Customer with an open proforma', `post ${pathOf(ana, '/erase')}`);
  const { body: proformas } = await shop.get(`/proforma_orders?customer_id=${ana.id}`);
  for (const { id } of proformas.data) await shop.delete(`/proforma_orders/${id}`);
  await examples.show(shop, 'Erased customer', `post ${pathOf(ana, '/erase')}`);
}

interface CustomerId {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

export function pathOf({ id, data_part: dataPart, time_part: timePart }: CustomerId, below = ''): string {
  return `/customers/${id}${below}?dataPart=${dataPart}&timePart=${timePart}`;
}
