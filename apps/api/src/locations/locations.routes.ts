import { LOCATION_KEYS, type Locations, parseLocation } from '@back-office/locations';
import { BULK_OPTIONS, parseBulkOptions, withExplain, okExplained } from '../http/bulk-options.js';
import { orNull, ValidatedByDomain } from '../http/request-fields.js';
import { FailedPlaceShape, fieldOfMessageKey, presentFailedPlace } from '../http/failed-rows.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { listOf, record, text } from '../http/shapes.js';
import { WrittenLocationShape, presentLocation } from './location.js';
import { Type } from '@sinclair/typebox';

const optionalTextSchema = (maxLength = 255) => orNull({ type: 'string', maxLength });

class PostAppLocations {
  @ValidatedByDomain({
    type: 'array',
    maxItems: 10_000,
    items: {
      type: 'object',
      properties: {
        code: optionalTextSchema(),
        external_ref: optionalTextSchema(),
        name: { type: 'string', maxLength: 255 },
        latitude: { type: 'number', minimum: -90, maximum: 90 },
        longitude: { type: 'number', minimum: -180, maximum: 180 },
        address_line_1: optionalTextSchema(),
        city: optionalTextSchema(),
        postcode: optionalTextSchema(),
        image_url: optionalTextSchema(2_048),
      },
      required: ['name', 'latitude', 'longitude'],
    },
  })
  app_locations?: unknown;
}

export function locationRoutes(locations: Locations): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/app_locations',
      caller: 'app',
      scope: 'customers:write',
      summary: 'Upserts store locations by code and external reference; absent fields stay',
      body: PostAppLocations,
      query: BULK_OPTIONS,
      answers: {
        200: withExplain(listOf(Type.Union([WrittenLocationShape, record({ message: text, ...FailedPlaceShape })]))),
      },
      failedRows: LOCATION_KEYS,
      handle: async ({ app, body, query }) => {
        const options = parseBulkOptions(query);
        const rows = rowsOf(body, 'app_locations').map(parseLocation);
        const { locations: savedLocations, explain } = await locations.put(app, rows, options);
        const results = savedLocations.map((location, index) =>
          typeof location === 'string'
            ? { message: app.say(location), ...presentFailedPlace(index, fieldOfMessageKey(location)) }
            : presentLocation(location),
        );
        return okExplained(results, explain);
      },
    }),
  ];
}
