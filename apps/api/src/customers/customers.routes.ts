import { isBlank, pageOf } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { created, ok, okText } from '../http/answer.js';
import { fieldErrorsAnswer } from '../http/errors.js';
import { PAGING, PARTS, partsOf, searchFilter, textFilter } from '../http/query-parameters.js';
import { ALREADY_TAKEN, Email, Flag, Text, Whole, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { listOf, record, text } from '../http/shapes.js';
import { CustomerShape, presentCustomer } from './customer.js';
import { customerListJson } from './customer-list.query.js';
import type { TypeOrmCustomers } from './typeorm-customers.js';

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
const LARGEST_SMALLINT = 2 ** 15;

export function customerRoutes(customers: TypeOrmCustomers, database: Database): Route[] {
  return [
    route({
      method: 'get',
      path: '/customers',
      caller: 'app',
      summary: "The app's customers, by first name, then last name; a filter that is empty is ignored",
      query: {
        ...PAGING,
        search: {
          schema: text,
          description:
            'in name (either part first), e-mail and phone, in Latin or Cyrillic letters, accents and case aside; ' +
            'surrounding spaces are ignored',
        },
        externalRef: { schema: text, description: "the client's own reference, exact" },
      },
      answers: { 200: record({ data: listOf(CustomerShape) }) },
      handle: async ({ app, query }) => {
        const filter = { search: searchFilter(query), externalRef: textFilter(query, 'externalRef') };
        return okText(await customerListJson(database, app.id, filter, pageOf(query, DEFAULT_LIMIT)));
      },
    }),
    route({
      method: 'post',
      path: '/customers',
      caller: 'app',
      summary: 'Adds a customer; the e-mail is unique in the app, case does not count',
      body: PostCustomer,
      answers: { 201: record({ data: CustomerShape }) },
      handle: async ({ app, body: { customer } }) => {
        const { viber_subscribed: viber, external_ref: reference, ...fields } = customer;
        // A blank reference names nobody, so any number of customers may have none.
        const ref = reference === undefined || reference === null || isBlank(reference) ? null : reference;
        const added = await customers.add(app.id, { ...fields, external_ref: ref, viber_subscribed: viber ?? false });
        if (!('taken' in added)) return created(presentCustomer(added));
        return fieldErrorsAnswer(Object.fromEntries(added.taken.map((field) => [field, [ALREADY_TAKEN]])), app);
      },
    }),
    route({
      method: 'get',
      path: '/customers/:id',
      caller: 'app',
      summary: 'One customer, named by its id and both parts',
      query: PARTS,
      answers: { 200: record({ data: CustomerShape }) },
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = partsOf(query);
        if (Math.abs(dataPart) >= LARGEST_SMALLINT || Math.abs(timePart) >= 2 ** 31) return undefined;
        const found = await customers.find(app.id, id, dataPart, timePart);
        return found && ok(presentCustomer(found));
      },
    }),
  ];
}
