import type { WALK_BODIES } from './client-walks.js';

interface PostmanItem {
  readonly name: string;
  readonly item?: readonly PostmanItem[];
  readonly request?: PostmanRequest;
  readonly event?: readonly object[];
}

interface PostmanRequest {
  readonly method: string;
  readonly url: {
    readonly path: readonly string[];
    readonly query: readonly object[];
    readonly variable: readonly { readonly key: string; readonly value: string }[];
  };
  readonly body?: object;
}

export interface PostmanCollection {
  readonly info: object;
  readonly item: readonly PostmanItem[];
}

/** A step in Postman: chooses a request, fills in its body, ids and filters, and keeps a value of the response. */
interface Step {
  readonly call: string;
  readonly body?: object;
  readonly form?: readonly object[];
  readonly query?: Readonly<Record<string, string>>;
  readonly keep?: string;
}

const BANK_ID = `pm.response.json().data.find(({ code }) => code === 'bank_transfer').id`;

function stepsOf({ warehouses, products, stocks, basket }: typeof WALK_BODIES, path: string): Step[] {
  const proforma = { order_processing_id: '{{evaluation}}' };
  return [
    { call: 'PUT warehouse', body: { warehouses } },
    { call: 'POST int/products', body: { products } },
    { call: 'PUT int/stocks', body: { stocks } },
    {
      call: 'POST order_processings',
      body: { order_processing: basket },
      keep: 'evaluation = pm.response.json().data.id',
    },
    { call: 'POST proforma_orders', body: proforma, keep: 'id = pm.response.json().data.id' },
    { call: 'GET payment_methods', keep: `bank = ${BANK_ID}` },
    { call: 'POST proforma_orders/:id/pay', body: { payment: { payment_method_id: '{{bank}}', amount: 0 } } },
    {
      call: 'GET proforma_orders/:id',
      keep: 'line = pm.response.json().data.items[0].proforma_order_item_id',
    },
    {
      call: 'POST proforma_orders/:id/warehouse_confirm',
      body: { adjustments: [{ proforma_order_item_id: '{{line}}', qty_confirmed: 2 }] },
    },
    { call: 'POST proforma_orders/:id/convert' },
    { call: 'POST cdn/files', form: [{ key: 'file', type: 'file', src: path }] },
    { call: 'GET proforma_orders', query: { status: 'converted' } },
    { call: 'POST proforma_orders', body: proforma },
  ];
}

export function postmanWalkOf(collection: PostmanCollection, bodies: typeof WALK_BODIES, path: string): object {
  const requests = requestsIn(collection.item);
  const item = stepsOf(bodies, path).map((step) => fillIn(requests.get(step.call), step));
  return { ...collection, item };
}

export function requestsIn(
  items: readonly PostmanItem[],
): Map<string, PostmanItem & { readonly request: PostmanRequest }> {
  const all = items.flatMap(({ item = [], ...own }): (readonly [string, PostmanItem])[] => {
    const { request } = own;
    const path = request?.url.path.slice(2).join('/');
    return request === undefined ? [...requestsIn(item)] : [[`${request.method} ${path}`, own]];
  });
  return new Map(all) as Map<string, PostmanItem & { readonly request: PostmanRequest }>;
}

function fillIn(found: (PostmanItem & { readonly request: PostmanRequest }) | undefined, step: Step): object {
  if (found === undefined) throw new Error(`The collection has no request ${step.call}`);
  const { request } = found;
  const variable = request.url.variable.map((entry) => ({ ...entry, value: '{{id}}' }));
  const query = Object.entries(step.query ?? {}).map(([key, value]) => ({ key, value }));
  return {
    ...found,
    request: {
      ...request,
      url: { ...request.url, variable, query },
      ...(step.body && { body: { ...request.body, raw: fillNumbers(step.body) } }),
      ...(step.form && { body: { ...request.body, formdata: step.form } }),
    },
    ...(step.keep && { event: [{ listen: 'test', script: { exec: [scriptOf(step.keep)] } }] }),
  };
}

/** Removes the quotes around variables, because the variables stand for numbers. */
function fillNumbers(body: object): string {
  return JSON.stringify(body).replaceAll(/"(\{\{\w+\}\})"/g, '$1');
}

function scriptOf(keep: string): string {
  const [name = '', value = ''] = keep.split(/ = (.*)/);
  return `pm.collectionVariables.set('${name}', ${value});`;
}
