import { BASE_PATH } from '../../apps/api/src/http/base-path.js';
import { buildOpenApiDocument } from '../../apps/api/src/http/openapi.js';
import { commonStatusesOf } from '../../apps/api/src/http/openapi-errors.js';
import type { Route } from '../../apps/api/src/http/route.js';
import { BODY_VALUES, type Material } from './field-values.js';
import { ABSENT_ID } from './steps.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Json;
}

const CHANCE_OF_OPTIONAL = 0.4;
const CHANCE_OF_NULL = 0.06;

/** Generates bodies that are valid by the API reference, with ids and codes of known records. */
export class SchemaBodies {
  private readonly reference: Json;

  constructor(routes: readonly Route[]) {
    this.reference = buildOpenApiDocument(routes, '0');
  }

  statusesOf(route: Route): readonly number[] {
    const statuses = Object.keys(this.operationOf(route).responses).filter((status) => status !== 'default');
    return [...new Set([...statuses.map(Number), ...commonStatusesOf(route)])];
  }

  bodyOf(route: Route, material: Material): unknown {
    const content = this.operationOf(route).requestBody?.content ?? {};
    const schema = (content['application/json'] ?? content['multipart/form-data'])?.schema;
    return schema && this.valueOf(schema, [], material);
  }

  private operationOf({ path, method }: Route): Operation {
    const template = BASE_PATH + path.replaceAll(/:(\w+)/g, '{$1}');
    return (this.reference['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[template]?.[
      method
    ] as Operation;
  }

  private valueOf(schema: Json, path: readonly string[], material: Material): unknown {
    const { random } = material;
    const resolvedSchema = this.resolveSchema(schema);
    const make = BODY_VALUES[path.slice(-2).join('.')] ?? BODY_VALUES[path.at(-1) ?? ''];
    if (path.length > 1 && this.isNullable(schema) && random.chance(CHANCE_OF_NULL)) return null;
    const {
      properties,
      items,
      required = [],
    } = resolvedSchema as { properties?: Json; items?: Json; required?: string[] };
    if (
      make &&
      properties === undefined &&
      (items === undefined || this.resolveSchema(items)['properties'] === undefined)
    )
      return make(material);
    if (properties) {
      const entries = Object.entries(properties)
        .filter(([, property]) => (property as Json)['format'] !== 'binary')
        .filter(([name]) => required.includes(name) || random.chance(this.chanceOf(name)))
        .map(([name, property]) => [name, this.valueOf(property as Json, [...path, name], material)] as const)
        .filter(([, value]) => value !== undefined);
      return Object.fromEntries(entries);
    }
    if (items) return Array.from({ length: random.between(1, 3) }, () => this.valueOf(items, path, material));
    return /^id$|_id$/.test(path.at(-1) ?? '') ? ABSENT_ID : randomValue(resolvedSchema, material);
  }

  /** The schema of a bulk row requires no field, so fields that most rows need are nearly always sent. */
  private chanceOf(name: string): number {
    if (RARE_FIELDS.has(name)) return 0.1;
    return COMMON_FIELDS.has(name) ? 0.995 : CHANCE_OF_OPTIONAL;
  }

  private isNullable({ anyOf, type }: Json): boolean {
    return Array.isArray(anyOf)
      ? anyOf.some((option) => (option as Json)['type'] === 'null')
      : [type].flat().includes('null');
  }

  private resolveSchema(schema: Json): Json {
    const { $ref: reference, anyOf } = schema as { $ref?: string; anyOf?: Json[] };
    if (anyOf) return this.resolveSchema(anyOf.find(({ type }) => type !== 'null') as Json);
    if (reference === undefined) return schema;
    const steps = reference.slice('#/'.length).split('/');
    return this.resolveSchema(steps.reduce<Json>((part, name) => part[name] as Json, this.reference));
  }
}

/** One invalid value in these fields fails the whole call. */
const RARE_FIELDS = new Set(['product_attribute_def_id', 'currency', 'default_warehouse_code', 'coupon_code']);
const COMMON_FIELDS = new Set([
  'code',
  'name',
  'kind',
  'value',
  'amount',
  'price',
  'vat_rate',
  'variants',
  'qty',
  'warehouse_code',
  'address_line_1',
  'city',
  'postcode',
  'market_id',
  'variant_codes',
  'external_ref',
  'buy_qty',
  'get_qty',
  'cache_strategy',
  'bank_account',
  'beneficiary',
  'account_number',
]);

function randomValue({ type, enum: options, minimum = 0 }: Json, { random }: Material): unknown {
  if (Array.isArray(options)) return random.pick(options as unknown[]);
  const [kind] = [type].flat();
  if (kind === 'string') return random.pick(['text', 'Текст', 'a b']);
  if (kind === 'integer' || kind === 'number') return Math.max(Number(minimum), random.between(0, 5));
  return kind === 'boolean' ? random.chance(0.5) : undefined;
}
