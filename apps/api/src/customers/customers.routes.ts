import { ALREADY_TAKEN, isBlank, parseSorting } from '@back-office/kernel';
import { CUSTOMER_SORT_FIELDS, type CustomerQueries, type Customers } from '@back-office/customers';
import { created, ok } from '../http/answer.js';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import { fieldErrorsAnswer } from '../http/errors.js';
import {
  PAGING,
  PARTS,
  parseParts,
  parseSearchFilter,
  parseTextFilter,
  parseUpdatedAfter,
  UPDATED_AFTER,
  sortParameter,
} from '../http/query-parameters.js';
import {
  IsBoolean,
  IsEmail,
  IsInt,
  IsOptional,
  Length,
  Max,
  MaxLength,
  Min,
  Type,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { listOf, record, text } from '../http/shapes.js';
import { CustomerShape, presentCustomer } from './customer.js';

class CustomerFields {
  @IsOptional() @MaxLength(255) external_ref?: string | null;
  @Length(1, 255) @IsEmail() email!: string;
  @Length(1, 255) first_name!: string;
  @Length(1, 255) last_name!: string;
  @IsOptional() @MaxLength(255) phone?: string | null;
  @IsOptional() @IsBoolean() viber_subscribed?: boolean | null;
  @IsOptional() @IsInt() @Min(1) @Max(4) preferred_notification_channel_id?: number | null;
}

class PostCustomer {
  @Wrapper() @ValidateNested() @Type(() => CustomerFields) customer!: CustomerFields;
}

const DEFAULT_LIMIT = 30;

export function customerRoutes(customers: Customers, queries: CustomerQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/customers',
      caller: 'app',
      scope: 'customers:read',
      summary: "Lists the app's customers by first and last name; ignores empty filters",
      query: {
        ...PAGING,
        ...CURSOR,
        search: {
          schema: text,
          description:
            'in name (in either order), e-mail and phone; ignores case, accents, alphabet and surrounding spaces',
        },
        externalRef: { schema: text, description: 'exact external reference' },
        ...UPDATED_AFTER,
        orderBy: sortParameter(
          CUSTOMER_SORT_FIELDS,
          'updated_at, optionally followed by asc or desc; anything else sorts by name',
        ),
      },
      answers: { 200: record({ data: listOf(CustomerShape) }) },
      handle: ({ app, query }) => {
        const filter = {
          search: parseSearchFilter(query),
          externalRef: parseTextFilter(query, 'externalRef'),
          updatedAfter: parseUpdatedAfter(query),
        };
        const sorting = parseSorting(query['orderBy'], CUSTOMER_SORT_FIELDS);
        return answerPageFromQuery(query, DEFAULT_LIMIT, (page) => queries.list(app.id, filter, page, sorting));
      },
    }),
    route({
      method: 'post',
      path: '/customers',
      caller: 'app',
      scope: 'customers:write',
      summary: 'Adds a customer; e-mails are unique in the app, ignoring case',
      body: PostCustomer,
      maxBodyBytes: 64 * 1024,
      answers: { 201: record({ data: CustomerShape }) },
      handle: async ({ app, body: { customer } }) => {
        const { viber_subscribed: viber, external_ref: reference, ...fields } = customer;
        // A blank reference is stored as null, because two blank references would violate the unique constraint.
        const externalRef = reference === undefined || reference === null || isBlank(reference) ? null : reference;
        const result = await customers.add(app.id, {
          ...fields,
          external_ref: externalRef,
          viber_subscribed: viber ?? false,
        });
        if (!('taken' in result)) return created(presentCustomer(result));
        return fieldErrorsAnswer(Object.fromEntries(result.taken.map((field) => [field, [ALREADY_TAKEN]])), app);
      },
    }),
    route({
      method: 'get',
      path: '/customers/:id',
      caller: 'app',
      scope: 'customers:read',
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
