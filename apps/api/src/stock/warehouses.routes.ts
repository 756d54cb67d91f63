import { BULK_OPTIONS, bulkOptions, explainable, okExplained } from '../http/bulk-options.js';
import { orNull, Unjudged } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { integer, listOf, record } from '../http/shapes.js';
import type { TypeOrmWarehouses } from './typeorm-warehouses.js';
import { presentWarehouse, WrittenWarehouseShape, wrongWarehouse, type WarehouseWish } from './warehouse.js';

class PutWarehouses {
  @Unjudged({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        code: orNull({ type: 'string', maxLength: 255 }),
        id: orNull({ type: 'integer' }),
        name: { type: 'string', maxLength: 255 },
        address_line_1: { type: 'string', maxLength: 255 },
        city: { type: 'string', maxLength: 255 },
        postcode: { type: 'string', maxLength: 255 },
        market_id: { type: 'integer' },
        sellable: orNull({ type: 'boolean', description: 'true for a new warehouse' }),
        delete: orNull({ type: 'boolean', default: false }),
      },
    },
  })
  warehouses?: unknown;
}

const REFUSALS = ['NameCantBeBlank', 'AddressLine1CantBeBlank', 'CityCantBeBlank', 'PostcodeCantBeBlank'];
const MORE = ['MarketIdCantBeBlank', 'CodeAndIdMismatch', 'HasStock', 'NotFound', 'WrongDataType'];

export function warehouseRoutes(warehouses: TypeOrmWarehouses): Route[] {
  return [
    route({
      method: 'put',
      path: '/warehouse',
      caller: 'app',
      summary: 'Creates, changes and deletes warehouses in one call, all or nothing, matched by code and id',
      body: PutWarehouses,
      query: BULK_OPTIONS,
      answers: { 200: explainable(record({ warehouses: listOf(WrittenWarehouseShape), deleted: listOf(integer) })) },
      refusals: [...REFUSALS, ...MORE].map((rule) => `API.Warehouses.${rule}`),
      handle: async ({ app, body, query }) => {
        const options = bulkOptions(query);
        const rows = rowsOf(body, 'warehouses').map((row) => wrongWarehouse(row) ?? (row as WarehouseWish));
        const outcome = await warehouses.put(app.id, rows, options);
        if ('failures' in outcome) {
          return { status: 422, body: { errors: { Warehouses: outcome.failures.map((key) => app.say(key)) } } };
        }
        const { warehouses: written, deleted, explain } = outcome;
        return okExplained({ warehouses: written.map(presentWarehouse), deleted }, explain);
      },
    }),
  ];
}
