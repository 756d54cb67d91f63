import { ALREADY_TAKEN, isBlank, parsePage } from '@back-office/kernel';
import type { CustomerQueries, Customers } from '@back-office/customers';
import { created, ok, okJson } from '../http/answer.js';
import { fieldErrorsAnswer } from '../http/errors.js';
import { PAGING, PARTS, parseParts, parseSearchFilter, parseTextFilter } from '../http/query-parameters.js';
import { Email, Flag, Text, Whole, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { listOf, record, text } from '../http/shapes.js';
import { CustomerShape, presentCustomer } from './customer.js';

const optional = true;

class CustomerFields {
  @Text({ optional }) external_ref?: string | null;
  @Email() email!: string;
  @Text() first_name!: string;
  @Text() last_name!: string;
  @Text({ optional }) phone?: string | null;
  @Flag({ optional }) viber_subscribed?: boolean | null;
  @Whole({ min: 1, max: 4, optional }) preferred_notification_channel_id?: number | null;
}

class PostCustomer {
  @Wrapper(() => CustomerFields) customer!: CustomerFields;
}

const DEFAULT_LIMIT = 30;

export function customerRoutes(customers: Customers, queries: CustomerQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/customers',
      caller: 'app',
      summary: "Lists the app's customers by first and last name; ignores empty filters",
      query: {
        ...PAGING,
        search: {
          schema: text,
          description:
            'in name (in either order), e-mail and phone; ignores case, accents, alphabet and surrounding spaces',
        },
        externalRef: { schema: text, description: 'exact external reference' },
      },
      answers: { 200: record({ data: listOf(CustomerShape) }) },
      handle: async ({ app, query }) => {
        const filter = { search: parseSearchFilter(query), externalRef: parseTextFilter(query, 'externalRef') };
        return okJson(await queries.list(app.id, filter, parsePage(query, DEFAULT_LIMIT)));
      },
    }),
    route({
      method: 'post',
      path: '/customers',
      caller: 'app',
      summary: 'Adds a customer; e-mails are unique in the app, ignoring case',
      body: PostCustomer,
      maxBodyBytes: 64 * 1024,
      answers: { 201: record({ data: CustomerShape }) },
      handle: async ({ app, body: { customer } }) => {
        const { viber_subscribed: viber, external_ref: reference, ...fields } = customer;
        // A blank reference is stored as null, since references are unique.
        const ref = reference === undefined || reference === null || isBlank(reference) ? null : reference;
        const result = await customers.add(app.id, { ...fields, external_ref: ref, viber_subscribed: viber ?? false });
        if (!('taken' in result)) return created(presentCustomer(result));
        return fieldErrorsAnswer(Object.fromEntries(result.taken.map((field) => [field, [ALREADY_TAKEN]])), app);
      },
    }),
    route({
      method: 'get',
      path: '/customers/:id',
      caller: 'app',
      summary: 'Reads a customer by three-part id',
      query: PARTS,
      answers: { 200: record({ data: CustomerShape }) },
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = parseParts(query);
        const foundCustomer = await customers.find(app.id, id, dataPart, timePart);
        return foundCustomer && ok(presentCustomer(foundCustomer));
      },
    }),
  ];
}
