import { type ParsedRow, plannedOf, planRows, type RowOutcome } from '@back-office/kernel';
import {
  type BulkPlan,
  type Explanation,
  explanationOf,
  type Match,
  type Matcher,
  matcherOf,
  MATCHING,
} from '@back-office/matching';
import type { DesiredAttribute, DesiredAttributes } from './desired-attributes.js';
import type { NamedVariant } from './named-variant.js';

/** A stored or planned definition; `id` is null until it is inserted. */
export interface DefinitionDraft {
  id: number | null;
  readonly external_ref: string;
  code: string | null;
  name: string;
}

export interface AttributeValue {
  readonly productId: number;
  readonly definition: DefinitionDraft;
  readonly value: string;
}

export interface FoundAttributes {
  readonly variants: readonly NamedVariant[];
  /** Definitions that a row names, and those that hold a code of a row. */
  readonly definitions: readonly (DefinitionDraft & { readonly id: number })[];
}

export interface PlannedAttributes {
  readonly productId: number;
}

export interface AttributePlan extends BulkPlan<PlannedAttributes> {
  readonly created: readonly DefinitionDraft[];
  readonly changed: readonly DefinitionDraft[];
  /** One per product and definition; the last row wins. */
  readonly values: readonly AttributeValue[];
}

const ORDER = MATCHING['PUT /int/product_attributes'];

/** Plans the rows in order, each on top of the earlier ones. */
export function planAttributes(rows: readonly ParsedRow<DesiredAttributes>[], found: FoundAttributes): AttributePlan {
  const planner = new Planner(found);
  const outcomes = planRows(rows, (row: DesiredAttributes, index) => planner.plan(row, index));
  const explain = () => rows.map((_, index) => planner.explain(index));
  return { outcomes, explain, ...planner.writes() };
}

export function productCount(outcomes: readonly RowOutcome<PlannedAttributes>[]): number {
  return new Set(plannedOf(outcomes).map(({ productId }) => productId)).size;
}

interface Kind {
  readonly record: keyof typeof ORDER;
  readonly match: Match<{ readonly id: number | null }>;
}

class Planner {
  private readonly variants: Matcher<NamedVariant>;
  private readonly definitions: Matcher<DefinitionDraft>;
  private readonly byCode: Map<string | null, DefinitionDraft>;
  private readonly created = new Set<DefinitionDraft>();
  private readonly changed = new Set<DefinitionDraft>();
  private readonly values = new Map<number, Map<DefinitionDraft, string>>();
  private readonly matches = new Map<number, readonly Kind[]>();

  constructor({ variants, definitions }: FoundAttributes) {
    const drafts = definitions.map((definition): DefinitionDraft => ({ ...definition }));
    this.variants = matcherOf(ORDER.variant, variants);
    this.definitions = matcherOf(ORDER.product_attribute_def, drafts);
    this.byCode = new Map(drafts.map((draft) => [draft.code, draft]));
  }

  plan(row: DesiredAttributes, index: number): RowOutcome<PlannedAttributes> {
    const match = this.variants.explain(row);
    if (match.record === undefined) return 'API.Products.NotFound';
    const kinds: Kind[] = [{ record: 'variant', match }];
    this.matches.set(index, kinds);
    const productId = match.record.product_id;
    for (const desired of row.attributes) {
      const definition = this.definitionOf(desired, kinds);
      if (typeof definition === 'string') return definition;
      this.set(productId, definition, desired.value);
    }
    return { productId };
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  writes(): Pick<AttributePlan, 'created' | 'changed' | 'values'> {
    const values = [...this.values].flatMap(([productId, ofProduct]) =>
      [...ofProduct].map(([definition, value]) => ({ productId, definition, value })),
    );
    return {
      created: [...this.created],
      changed: [...this.changed].filter((definition) => !this.created.has(definition)),
      values,
    };
  }

  private definitionOf(desired: DesiredAttribute, kinds: Kind[]): DefinitionDraft | string {
    const match = this.definitions.explain({ external_ref: desired.external_ref });
    kinds.push({ record: 'product_attribute_def', match });
    const { record } = match;
    if (desired.definitionId !== undefined && record?.id !== desired.definitionId)
      return 'API.ProductAttributeDefs.NotFound';
    const definition = record ?? this.create(desired);
    return this.change(definition, desired) ?? definition;
  }

  private create({ external_ref, name = external_ref }: DesiredAttribute): DefinitionDraft {
    const definition = { id: null, external_ref, code: null, name };
    this.definitions.add(definition);
    this.created.add(definition);
    return definition;
  }

  private change(definition: DefinitionDraft, desired: DesiredAttribute): string | undefined {
    const code = desired.code ?? definition.code;
    const name = desired.name ?? definition.name;
    if (code === definition.code && name === definition.name) return undefined;
    const holder = code === definition.code ? undefined : this.byCode.get(code);
    // An earlier row may have changed the holder's code.
    if (holder?.code === code) return 'API.ProductAttributeDefs.CodeAlreadyExists';
    this.byCode.set(code, Object.assign(definition, { code, name }));
    this.changed.add(definition);
    return undefined;
  }

  private set(productId: number, definition: DefinitionDraft, value: string): void {
    const ofProduct = this.values.get(productId) ?? new Map<DefinitionDraft, string>();
    this.values.set(productId, ofProduct.set(definition, value));
  }
}
