import { createHmac } from 'node:crypto';
import { verifyWebhook, WebhookError } from './index.js';

const SECRET = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const NOW = new Date('2026-11-24T10:00:00Z');
const BODY = JSON.stringify({ type: 'proforma.paid', data: { id: 12, note: 'Č' } });

function signed(body = BODY, { secret = SECRET, timestamp = String(NOW.getTime() / 1_000), id = 'msg_1' } = {}) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

describe('verifyWebhook', () => {
  it('accepts the body as text or bytes, and returns its event', async () => {
    const event = await verifyWebhook(SECRET, signed(), BODY, { now: NOW });
    expect(event).toEqual(JSON.parse(BODY));
    if (event.type === 'proforma.paid') expect(event.data?.id).toBe(12);
    expect(await verifyWebhook(SECRET, new Headers(signed()), Buffer.from(BODY), { now: NOW })).toEqual(event);
    expect(await verifyWebhook(SECRET, signed(), new TextEncoder().encode(BODY).buffer, { now: NOW })).toEqual(event);
  });

  it('accepts one valid signature among several, and header names in any case', async () => {
    const old = signed(BODY, { secret: 'whsec_b2xk' })['webhook-signature'];
    const { 'webhook-signature': right, ...others } = signed();
    const headers = { ...others, 'Webhook-Signature': `${old} v2,abc ${right}` };
    await expect(verifyWebhook(SECRET, headers, BODY, { now: NOW })).resolves.toBeDefined();
  });

  it.each([
    ['another body', signed(), `${BODY} `],
    ['another secret', signed(BODY, { secret: 'whsec_b3RoZXI=' }), BODY],
    ['another id', { ...signed(), 'webhook-id': 'msg_2' }, BODY],
    ['a signature that is not base64', { ...signed(), 'webhook-signature': 'v1,***' }, BODY],
    ['no signature', { ...signed(), 'webhook-signature': '' }, BODY],
    ['no id', { ...signed(), 'webhook-id': undefined }, BODY],
    ['a time that is not a number', { ...signed(), 'webhook-timestamp': 'now' }, BODY],
    ['an old request', signed(BODY, { timestamp: String(NOW.getTime() / 1_000 - 301) }), BODY],
    ['an early request', signed(BODY, { timestamp: String(NOW.getTime() / 1_000 + 301) }), BODY],
  ])('refuses %s', async (_, headers, body) => {
    await expect(verifyWebhook(SECRET, headers, body, { now: NOW })).rejects.toBeInstanceOf(WebhookError);
  });

  it('accepts an older timestamp with a larger tolerance', async () => {
    const old = signed(BODY, { timestamp: String(NOW.getTime() / 1_000 - 301) });
    await expect(verifyWebhook(SECRET, old, BODY, { now: NOW, toleranceSeconds: 302 })).resolves.toBeDefined();
  });

  it('refuses an empty secret', async () => {
    await expect(verifyWebhook('whsec_', signed(), BODY, { now: NOW })).rejects.toThrow('The secret is empty');
  });
});
