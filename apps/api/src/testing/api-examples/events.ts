import { TOKENS } from '../../tokens.js';
import type { Scenario } from './scenario.js';

export async function showEvents(scenario: Scenario): Promise<void> {
  const { api, shop, examples } = scenario;
  await examples.show(shop, 'What happened to orders', 'get /events?types=order.created&limit=2');
  await showEndpoints(scenario);
  const { cursor } = (await shop.get('/events?limit=1')).body.data;
  await shop.patch('/app/settings', { events: { retention_days: 1 } });
  api.clock.forward({ hours: 48 });
  await api.container.get(TOKENS.Database).eventFeed.purge();
  await examples.refuse(shop, 'Events that have been purged', `get /events?after=${cursor}`);
}

async function showEndpoints({ api, shop, examples, receiver }: Scenario): Promise<void> {
  const create = 'post /webhook_endpoints';
  const endpoint = { url: receiver.url, description: 'ERP', types: ['customer.created'] };
  const { id } = await examples.show(shop, 'New customers for an ERP', create, { webhook_endpoint: endpoint });
  await examples.refuse(shop, 'Address in a private network', create, {
    webhook_endpoint: { url: 'http://10.0.0.7/hooks' },
  });
  const one = `/webhook_endpoints/${id}`;
  await examples.show(shop, 'Endpoints of the shop', 'get /webhook_endpoints');
  await examples.show(shop, 'One endpoint', `get ${one}`);
  await examples.show(shop, 'Test event', `post ${one}/test`);
  await shop.post('/customers', {
    customer: { external_ref: 'crm-19', email: 'nikola@example.com', first_name: 'Nikola', last_name: 'Petrović' },
  });
  await api.deliverWebhooks();
  await examples.show(shop, 'Latest deliveries', `get ${one}/deliveries`);
  await examples.show(shop, 'Deliver all that failed', `post ${one}/replay`, { replay: { failed: true } });
  await examples.refuse(shop, 'Two selections', `post ${one}/replay`, {
    replay: { failed: true, from: '2026-11-21T00:00:00' },
  });
  await examples.show(shop, 'Pause deliveries', `patch ${one}`, { webhook_endpoint: { status: 'paused' } });
  await examples.refuse(shop, 'Address in a private network', `patch ${one}`, {
    webhook_endpoint: { url: 'http://10.0.0.7/hooks' },
  });
  await examples.show(shop, 'A new secret', `post ${one}/rotate_secret`, { webhook_endpoint: { overlap: 3_600 } });
  const { body } = await shop.post('/access_tokens', {
    access_token: { name: 'Webhooks', scopes: ['webhooks:write', 'events:read'] },
  });
  const limited = api.clientWith(shop.appId, body.data.access_token);
  await examples.refuse(limited, 'Token without the scope of the events', `post ${one}/rotate_secret`);
  await examples.show(shop, 'Remove an endpoint', `delete ${one}`);
}
