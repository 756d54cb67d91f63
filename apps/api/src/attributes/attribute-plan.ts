import { explanationOf, MATCHING, matcherOf, type Explanation, type Match, type Matcher } from '@back-office/matching';
import type { AttributesWish, AttributeWish } from './attribute-rows.js';

export interface VariantRow {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
}

/** A definition as it is, or as it will be; `id` is null until it is inserted. */
export interface Definition {
  id: number | null;
  readonly external_ref: string;
  code: string | null;
  name: string;
}

export interface AttributeValue {
  readonly productId: number;
  readonly definition: Definition;
  readonly value: string;
}

export interface Found {
  readonly variants: readonly VariantRow[];
  /** Those that a row names, and those whose codes a row wants. */
  readonly definitions: readonly (Definition & { readonly id: number })[];
}

export interface Plan {
  readonly productIds: ReadonlySet<number>;
  readonly created: readonly Definition[];
  readonly changed: readonly Definition[];
  /** One for each product and definition: that of the last row. */
  readonly values: readonly AttributeValue[];
  /** To be asked when new definitions have their ids. */
  readonly explain: () => readonly (readonly Explanation[])[];
}

/** The first failure of each bad row, in input order; nothing is written then. */
export interface Rejected {
  readonly failures: readonly string[];
}

const ORDER = MATCHING['PUT /int/product_attributes'];

/** Decides row by row, each on top of the earlier ones, which definitions are made and which values are set. */
export function planAttributes(rows: readonly (AttributesWish | string)[], found: Found): Plan | Rejected {
  const planner = new Planner(found);
  const failures = rows.flatMap((row) => (typeof row === 'string' ? row : (planner.take(row) ?? [])));
  return failures.length > 0 ? { failures } : planner.plan();
}

interface Kind {
  readonly record: keyof typeof ORDER;
  readonly match: Match<{ readonly id: number | null }>;
}

class Planner {
  private readonly variants: Matcher<VariantRow>;
  private readonly definitions: Matcher<Definition>;
  private readonly byCode: Map<string | null, Definition>;
  private readonly productIds = new Set<number>();
  private readonly created = new Set<Definition>();
  private readonly changed = new Set<Definition>();
  private readonly values = new Map<number, Map<Definition, string>>();
  private readonly matches: Kind[][] = [];

  constructor({ variants, definitions }: Found) {
    const drafts = definitions.map((definition): Definition => ({ ...definition }));
    this.variants = matcherOf(ORDER.variant, variants);
    this.definitions = matcherOf(ORDER.product_attribute_def, drafts);
    this.byCode = new Map(drafts.map((draft) => [draft.code, draft]));
  }

  /** Takes a row in, or answers the key of why it cannot be. */
  take(row: AttributesWish): string | undefined {
    const match = this.variants.explain(row);
    if (match.record === undefined) return 'API.Products.NotFound';
    const kinds: Kind[] = [{ record: 'variant', match }];
    this.matches.push(kinds);
    this.productIds.add(match.record.product_id);
    for (const wish of row.attributes) {
      const definition = this.definitionOf(wish, kinds);
      if (typeof definition === 'string') return definition;
      this.set(match.record.product_id, definition, wish.value);
    }
    return undefined;
  }

  plan(): Plan {
    const values = [...this.values].flatMap(([productId, ofProduct]) =>
      [...ofProduct].map(([definition, value]) => ({ productId, definition, value })),
    );
    return {
      productIds: this.productIds,
      created: [...this.created],
      changed: [...this.changed].filter((definition) => !this.created.has(definition)),
      values,
      explain: () => this.matches.map((kinds) => kinds.map(({ record, match }) => explanationOf(record, match))),
    };
  }

  private definitionOf(wish: AttributeWish, kinds: Kind[]): Definition | string {
    const match = this.definitions.explain({ external_ref: wish.external_ref });
    kinds.push({ record: 'product_attribute_def', match });
    const { record } = match;
    if (wish.definitionId !== undefined && record?.id !== wish.definitionId) return 'API.ProductAttributeDefs.NotFound';
    const definition = record ?? this.create(wish);
    return this.change(definition, wish) ?? definition;
  }

  private create({ external_ref, name = external_ref }: AttributeWish): Definition {
    const definition = { id: null, external_ref, code: null, name };
    this.definitions.add(definition);
    this.created.add(definition);
    return definition;
  }

  private change(definition: Definition, wish: AttributeWish): string | undefined {
    const code = wish.code ?? definition.code;
    const name = wish.name ?? definition.name;
    if (code === definition.code && name === definition.name) return undefined;
    const holder = code === definition.code ? undefined : this.byCode.get(code);
    // A definition that has given the code up meanwhile holds it no more.
    if (holder?.code === code) return 'API.ProductAttributeDefs.CodeAlreadyExists';
    this.byCode.set(code, Object.assign(definition, { code, name }));
    this.changed.add(definition);
    return undefined;
  }

  private set(productId: number, definition: Definition, value: string): void {
    const ofProduct = this.values.get(productId) ?? new Map<Definition, string>();
    this.values.set(productId, ofProduct.set(definition, value));
  }
}
