import { startPaymentService } from '../payment-service.js';
import { testApi } from '../test-api.js';
import { openWebhookReceiver } from '../webhook-receiver.js';
import type { ApiExamples } from '../../http/openapi-examples.js';
import { TOKENS } from '../../tokens.js';
import { showCatalogue } from './catalogue.js';
import { eraseCustomer, showCustomers } from './customers.js';
import { showEvents } from './events.js';
import { showMedia } from './media.js';
import { showOrders } from './orders.js';
import { Readable } from './readable.js';
import { Recorder } from './recorder.js';
import { showSales } from './sales.js';
import type { Scenario } from './scenario.js';
import { showAuditLog, showSetUp, showTokens } from './set-up.js';

/** Runs the scenario of a T-shirt shop on a real service. Returns the bodies of its calls. */
export async function recordApiExamples(): Promise<ApiExamples> {
  const payments = await startPaymentService();
  const receiver = await openWebhookReceiver();
  const api = await testApi({ REFUND_URL: payments.url, WEBHOOK_NETWORKS: '127.0.0.1' });
  try {
    const shop = await api.app();
    const { prefix } = (await shop.get('/app/settings')).body.data.media;
    const readable = new Readable([
      [receiver.url, 'https://erp.example/hooks'],
      [api.origin, 'https://api.shop.example'],
      ['http://localhost:3000', 'https://api.shop.example'],
      [prefix, 't5h1rt00'],
    ]);
    const examples = new Recorder(api.container.get(TOKENS.Routes), (body) => readable.of(body));
    const scenario: Scenario = {
      api,
      shop,
      examples,
      receiver,
      answerRefundsWith: (status) => {
        payments.status = status;
      },
    };
    for (const show of CHAPTERS) {
      await show(scenario);
      api.clock.forward({ seconds: 600 });
    }
    await examples.showListedRecords(shop);
    return examples.examples;
  } finally {
    await api.close();
    await receiver.close();
    payments.close();
  }
}

const CHAPTERS: readonly ((scenario: Scenario) => Promise<void>)[] = [
  showSetUp,
  showCatalogue,
  showCustomers,
  showSales,
  showOrders,
  showMedia,
  showTokens,
  showEvents,
  eraseCustomer,
  showAuditLog,
];
