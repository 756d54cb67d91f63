import { addHours, isRefusal, toMinor } from '@back-office/kernel';
import type { Container } from 'inversify';
import { CUSTOMERS, PRODUCTS, WAREHOUSES } from './demo-data.js';
import type { AppContext } from './http/app-context.js';
import { TOKENS } from './tokens.js';

export interface Demo {
  readonly appId: number;
  readonly accessToken: string;
  /** Of the first customer. */
  readonly sessionToken: string;
}

const SESSION_HOURS = 30 * 24;
const DEVICE = { uuid: 'demo-phone', type: 'ios', vendor: 'Apple', mobileInfo: null };

/** Makes an app with warehouses, products, stock, customers, one of them signed in, and proformas in several statuses. */
export async function makeDemo(container: Container): Promise<Demo> {
  const apps = container.get(TOKENS.Apps);
  const appId = await apps.create({ name: 'Demo shop', currency: 'RSD' });
  await fillCatalogue(container, (await apps.context(appId)) as AppContext);
  await apps.patch(appId, SETTINGS);
  const app = (await apps.context(appId)) as AppContext;
  const customers = await addCustomers(container, app);
  await makeProformas(container, app, customers);
  const sessionToken = await signIn(container, app, customers[0]);
  return { appId, accessToken: (await apps.issueToken({ appId })) as string, sessionToken };
}

const SETTINGS = {
  bank_account: {
    beneficiary: 'Demo shop d.o.o.',
    address: 'Knez Mihailova 1, Beograd',
    account_number: '160-0000000123456-54',
    purpose: 'Payment of a proforma',
    payment_code: '289',
  },
  default_warehouse_code: 'BG-01',
};

async function fillCatalogue(container: Container, app: AppContext): Promise<void> {
  const products = PRODUCTS.map(({ price, variants, ...product }) => ({
    ...product,
    price: toMinor(price, app.decimals),
    vatRate: 2000,
    images: [],
    variants: variants.map((variant) => ({ ...variant, images: [] })),
  }));
  await container.get(TOKENS.Warehouses).put(app.id, WAREHOUSES);
  await container.get(TOKENS.Products).upsert(app, products);
  const stocks = WAREHOUSES.flatMap(({ code }) =>
    PRODUCTS.flatMap(({ variants }) =>
      variants.map((variant, index) => ({ code: variant.code, warehouse_code: code, qty: 20 + 5 * index })),
    ),
  );
  await container.get(TOKENS.Stocks).add(app.id, stocks);
}

interface CustomerName {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
}

async function addCustomers(container: Container, app: AppContext): Promise<CustomerName[]> {
  const names: CustomerName[] = [];
  for (const customer of CUSTOMERS) {
    const added = await container.get(TOKENS.Customers).add(app.id, customer);
    if (!('taken' in added)) names.push({ id: added.id, dataPart: added.data_part, timePart: added.time_part });
  }
  return names;
}

async function signIn(container: Container, app: AppContext, customer: CustomerName | undefined): Promise<string> {
  const expiresAt = addHours(container.get(TOKENS.Clock).now(), SESSION_HOURS);
  const session = await container
    .get(TOKENS.Sessions)
    .start(app.id, { customer: customer ?? null, device: DEVICE, language: null, expiresAt });
  if (isRefusal(session)) throw new Error(session.refused);
  return session.accessToken;
}

/** One proforma per customer: a draft, a paid one, a confirmed one, an order, a cancelled one. */
async function makeProformas(container: Container, app: AppContext, customers: readonly CustomerName[]): Promise<void> {
  const actions = container.get(TOKENS.ProformaActions);
  const bank = await container.get(TOKENS.PaymentMethods).findByKind(app.id, 'bank_transfer');
  const pay = (id: number) => actions.pay(app, id, { methodId: bank?.id ?? 0, amount: 0 });
  const steps: readonly ((id: number) => Promise<unknown>)[][] = [
    [],
    [pay],
    [pay, (id) => actions.confirm(app, id, [])],
    [pay, (id) => actions.confirm(app, id, []), (id) => actions.convert(app, id)],
    [(id) => actions.cancel(app, id, 'Ordered by mistake')],
  ];
  for (const [index, customer] of customers.entries()) {
    const id = await makeProforma(container, app, customer, index);
    for (const step of steps[index % steps.length] ?? []) await step(id);
  }
}

async function makeProforma(
  container: Container,
  app: AppContext,
  customer: CustomerName,
  index: number,
): Promise<number> {
  const chosen = [PRODUCTS[index % PRODUCTS.length], PRODUCTS[(index + 3) % PRODUCTS.length]];
  const evaluation = await container.get(TOKENS.Evaluations).evaluate(app.id, {
    items: chosen.flatMap((product) => ({ code: product?.variants[0]?.code ?? '', qty: index + 1 })),
    customer,
    guest: NOBODY,
    delivery: { address_line_1: 'Bulevar oslobođenja 12', city: 'Novi Sad', postcode: '21000', country: 'RS' },
    warehouseCode: null,
    shipmentMethodCode: null,
    pickupPointCode: null,
    coupons: [],
    vouchers: [],
    currency: app.currency,
    marketId: 1,
    salesChannelId: 1,
    salesChannel: 'web',
    comment: null,
    tags: ['demo'],
  });
  if (isRefusal(evaluation)) throw new Error(evaluation.refused);
  const proforma = await container.get(TOKENS.ProformaActions).create(app, evaluation.id);
  if (isRefusal(proforma)) throw new Error(proforma.refused);
  return proforma.id;
}

const NOBODY = { id: null, dataPart: null, timePart: null, email: null, firstName: null, lastName: null, phone: null };
