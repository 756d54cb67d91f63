import { BASE_PATH } from '../http/base-path.js';
import { openApiDocument } from '../http/openapi.js';
import type { Route } from '../http/route.js';
import { BODY_VALUES, type Material } from './field-values.js';
import { ABSENT_ID } from './steps.js';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Json;
}

const OPTIONAL = 0.4;
const NULL = 0.06;

/** Valid bodies by the API reference, with values from the records of an app. */
export class SchemaBodies {
  private readonly reference: Json;

  constructor(routes: readonly Route[]) {
    this.reference = openApiDocument(routes, '0');
  }

  /** The statuses that the reference promises. */
  statusesOf(route: Route): readonly number[] {
    return Object.keys(this.operationOf(route).responses).map(Number);
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
    const plain = this.plainOf(schema);
    const make = BODY_VALUES[path.slice(-2).join('.')] ?? BODY_VALUES[path.at(-1) ?? ''];
    if (path.length > 1 && this.isNullable(schema) && random.chance(NULL)) return null;
    const { properties, items, required = [] } = plain as { properties?: Json; items?: Json; required?: string[] };
    if (make && properties === undefined && (items === undefined || this.plainOf(items)['properties'] === undefined))
      return make(material);
    if (properties) {
      const entries = Object.entries(properties)
        .filter(([, of]) => (of as Json)['format'] !== 'binary')
        .filter(([name]) => required.includes(name) || random.chance(this.chanceOf(name)))
        .map(([name, of]) => [name, this.valueOf(of as Json, [...path, name], material)] as const)
        .filter(([, value]) => value !== undefined);
      return Object.fromEntries(entries);
    }
    if (items) return Array.from({ length: random.between(1, 3) }, () => this.valueOf(items, path, material));
    return /^id$|_id$/.test(path.at(-1) ?? '') ? ABSENT_ID : plainValue(plain, material);
  }

  /** Rows of bulk calls have no required fields in their schema, so usual fields are nearly always sent. */
  private chanceOf(name: string): number {
    if (RARE.has(name)) return 0.1;
    return USUAL.has(name) ? 0.995 : OPTIONAL;
  }

  private isNullable({ anyOf, type }: Json): boolean {
    return Array.isArray(anyOf)
      ? anyOf.some((each) => (each as Json)['type'] === 'null')
      : [type].flat().includes('null');
  }

  private plainOf(schema: Json): Json {
    const { $ref: reference, anyOf } = schema as { $ref?: string; anyOf?: Json[] };
    if (anyOf) return this.plainOf(anyOf.find(({ type }) => type !== 'null') as Json);
    if (reference === undefined) return schema;
    const steps = reference.slice('#/'.length).split('/');
    return this.plainOf(steps.reduce<Json>((part, name) => part[name] as Json, this.reference));
  }
}

/** A wrong value makes the whole call fail. */
const RARE = new Set(['product_attribute_def_id', 'currency', 'default_warehouse_code', 'coupon_code']);
const USUAL = new Set([
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

function plainValue({ type, enum: allowed, minimum = 0 }: Json, { random }: Material): unknown {
  if (Array.isArray(allowed)) return random.pick(allowed as unknown[]);
  const [kind] = [type].flat();
  if (kind === 'string') return random.pick(['text', 'Текст', 'a b']);
  if (kind === 'integer' || kind === 'number') return Math.max(Number(minimum), random.between(0, 5));
  return kind === 'boolean' ? random.chance(0.5) : undefined;
}
