import type { AuditLog } from '@back-office/apps';
import type { Customers, PersonalData, PersonalDataQueries } from '@back-office/customers';
import type { CachedTokens } from '../apps/index.js';
import { answerWith, ok } from '../http/answer.js';
import { PARTS, parseParts } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { anyObject, integer, listOf, record } from '../http/shapes.js';
import { CustomerShape } from './customer.js';

const ExportShape = record({
  customer: CustomerShape,
  cards: listOf(anyObject),
  vouchers: listOf(anyObject),
  loyalty_bookings: listOf(anyObject),
  consent_changes: listOf(anyObject),
  devices: listOf(anyObject),
  sessions: listOf(anyObject),
  visits: listOf(anyObject),
  evaluations: listOf(anyObject),
  proforma_orders: listOf(anyObject),
  orders: listOf(anyObject),
});

export interface PersonalDataParts {
  readonly customers: Customers;
  readonly personalData: PersonalData;
  readonly personalDataQueries: PersonalDataQueries;
  readonly auditLog: Pick<AuditLog, 'note'>;
  readonly tokens: Pick<CachedTokens, 'forgetAll'>;
}

export function personalDataRoutes({
  customers,
  personalData,
  personalDataQueries: queries,
  auditLog,
  tokens,
}: PersonalDataParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/customers/:id/export',
      caller: 'app',
      scope: 'customers:read',
      extension: true,
      summary: 'Returns the records about a customer, except secrets',
      query: PARTS,
      answers: { 200: record({ data: ExportShape }) },
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = parseParts(query);
        const customer = await customers.find(app.id, id, dataPart, timePart);
        if (customer === undefined) return undefined;
        await auditLog.note(app.id, { action: 'customer.export', subjectId: id });
        return { status: 200, chunks: wrapData(queries.export(app, id)) };
      },
    }),
    route({
      method: 'post',
      path: '/customers/:id/erase',
      guard: { kind: 'customer', shownBy: '/customers/:id' },
      caller: 'app',
      scope: 'customers:erase',
      extension: true,
      summary: 'Blanks the personal data of a customer everywhere; keeps amounts, numbers, dates and consent',
      query: PARTS,
      answers: { 200: record({ data: record({ customer_id: integer }) }) },
      refusals: ['API.Customers.HasOpenProformas', 'API.Customers.HasPendingPayments'],
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = parseParts(query);
        if ((await customers.find(app.id, id, dataPart, timePart)) === undefined) return undefined;
        const result = await personalData.erase(app.id, id);
        // The cache may still contain the removed sessions of the customer, so it is cleared.
        tokens.forgetAll();
        return answerWith(result, () => ok({ customer_id: id }));
      },
    }),
  ];
}

async function* wrapData(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"data":';
  yield* chunks;
  yield '}';
}
