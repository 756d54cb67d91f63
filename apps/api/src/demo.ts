import type { Database } from '@back-office/database';
import { addHours, defaultTerms, isRefusal, toMinor, type Refusal } from '@back-office/kernel';
import { NO_SOURCE } from '@back-office/proforma';
import type { Container } from 'inversify';
import { CUSTOMERS, PRODUCTS, WAREHOUSES } from './demo-data.js';
import type { AppContext } from '@back-office/apps';
import { hashToken, newToken } from './http/authentication.js';
import { TOKENS } from './tokens.js';

export interface Demo {
  readonly appId: number;
  readonly accessToken: string;
  /** Access token of a session of the first customer. */
  readonly sessionToken: string;
}

/** The demo prints its tokens to the console, so they must expire. */
const LIFETIME_HOURS = 30 * 24;
const DEVICE = { uuid: 'demo-phone', type: 'ios', vendor: 'Apple', mobileInfo: null };

/**
 * Creates an app with warehouses, products, stock, customers (one with a session) and proformas in several statuses.
 */
export async function makeDemo(container: Container): Promise<Demo> {
  const apps = container.get(TOKENS.Apps);
  const appId = await apps.create({ name: 'Demo shop', currency: 'RSD' });
  await fillCatalogue(container, (await apps.context(appId)) as AppContext);
  await container.get(TOKENS.Database).apps.patch(appId, SETTINGS);
  const app = (await apps.context(appId)) as AppContext;
  const customers = await addCustomers(container, app);
  await makeProformas(container, app, customers);
  const sessionToken = await signIn(container, app, customers[0]);
  const expiresAt = addHours(container.get(TOKENS.Clock).now(), LIFETIME_HOURS);
  const accessToken = (await apps.issueToken({ appId, name: 'Demo', expiresAt })) as string;
  return { appId, accessToken, sessionToken };
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
  await container.get(TOKENS.Database).warehouses.put(app.id, WAREHOUSES);
  await container.get(TOKENS.Database).products.upsert(app, products);
  const stocks = WAREHOUSES.flatMap(({ code }) =>
    PRODUCTS.flatMap(({ variants }) =>
      variants.map((variant, index) => ({ code: variant.code, warehouse_code: code, qty: 20 + 5 * index })),
    ),
  );
  await container.get(TOKENS.Database).stock.add(app.id, stocks);
}

interface CustomerParts {
  readonly id: number;
  readonly dataPart: number;
  readonly timePart: number;
}

async function addCustomers(container: Container, app: AppContext): Promise<CustomerParts[]> {
  const names: CustomerParts[] = [];
  for (const customer of CUSTOMERS) {
    const addedCustomer = await container.get(TOKENS.Database).customers.add(app.id, customer);
    if (!('taken' in addedCustomer))
      names.push({ id: addedCustomer.id, dataPart: addedCustomer.data_part, timePart: addedCustomer.time_part });
  }
  return names;
}

async function signIn(container: Container, app: AppContext, customer: CustomerParts | undefined): Promise<string> {
  const expiresAt = addHours(container.get(TOKENS.Clock).now(), LIFETIME_HOURS);
  const accessToken = newToken('session', app.id);
  const tokenHash = hashToken(accessToken);
  const session = await container
    .get(TOKENS.Database)
    .sessions.start(app.id, { customer: customer ?? null, device: DEVICE, language: null, expiresAt, tokenHash });
  assertAccepted('sessions', session);
  return accessToken;
}

/** Creates one proforma per customer: draft, paid, confirmed, converted and canceled. */
async function makeProformas(
  container: Container,
  app: AppContext,
  customers: readonly CustomerParts[],
): Promise<void> {
  const actions = container.get(TOKENS.ProformaActions);
  const bankTransfer = await container.get(TOKENS.Database).paymentMethods.findByKind(app.id, 'bank_transfer');
  const pay = (id: number) => actions.pay(app, id, { methodId: bankTransfer?.id ?? 0, amount: 0, source: NO_SOURCE });
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
  customer: CustomerParts,
  index: number,
): Promise<number> {
  const products = [PRODUCTS[index % PRODUCTS.length], PRODUCTS[(index + 3) % PRODUCTS.length]];
  const evaluation = await container.get(TOKENS.Database).evaluations.evaluate(app.id, {
    ...defaultTerms(),
    items: products.flatMap((product) => ({ code: product?.variants[0]?.code ?? '', qty: index + 1 })),
    customer,
    guest: NO_GUEST,
    delivery: { address_line_1: 'Bulevar oslobođenja 12', city: 'Novi Sad', postcode: '21000', country: 'RS' },
    warehouseCode: null,
    coupons: [],
    vouchers: [],
    currency: app.currency,
    tags: ['demo'],
  });
  assertAccepted('evaluations', evaluation);
  const proforma = await container.get(TOKENS.ProformaActions).create(app, evaluation.id);
  assertAccepted('proformaOrders', proforma);
  return proforma.id;
}

/** The demo sends only valid data, so a refusal means a bug in the named port. */
function assertAccepted<Result extends object>(
  port: keyof Database,
  result: Result | Refusal,
): asserts result is Result {
  if (isRefusal(result)) throw new Error(`Cannot create the demo app: port ${port} refused ${result.refused}`);
}

const NO_GUEST = {
  id: null,
  dataPart: null,
  timePart: null,
  email: null,
  firstName: null,
  lastName: null,
  phone: null,
};
