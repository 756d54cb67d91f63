import { type ParsedRow, plannedOf, planRows, type RowOutcome, storedIdentifier } from '@back-office/kernel';
import {
  type BulkPlan,
  type Explanation,
  explanationOf,
  type Match,
  type Matcher,
  matcherOf,
  MATCHING,
  TRIMMED,
} from '@back-office/matching';
import type { DesiredAttribute, DesiredAttributes } from './desired-attributes.js';
import type { NamedVariant } from './named-variant.js';

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
  readonly definitions: readonly (DefinitionDraft & { readonly id: number })[];
}

export interface PlannedAttributeRow {
  readonly productId: number;
}

export interface AttributePlan extends BulkPlan<PlannedAttributeRow> {
  readonly createdDefinitions: readonly DefinitionDraft[];
  readonly changedDefinitions: readonly DefinitionDraft[];
  readonly values: readonly AttributeValue[];
}

const IDENTIFIER_ORDER = MATCHING['PUT /int/product_attributes'];

export function planAttributes(
  rows: readonly ParsedRow<DesiredAttributes>[],
  foundAttributes: FoundAttributes,
): AttributePlan {
  const planner = new Planner(foundAttributes);
  const outcomes = planRows(rows, (row: DesiredAttributes, index) => planner.plan(row, index));
  const explain = () => rows.map((_, index) => planner.explain(index));
  return { outcomes, explain, ...planner.collectWrites() };
}

export function productCount(outcomes: readonly RowOutcome<PlannedAttributeRow>[]): number {
  return new Set(plannedOf(outcomes).map(({ productId }) => productId)).size;
}

interface RecordMatch {
  readonly record: keyof typeof IDENTIFIER_ORDER;
  readonly match: Match<{ readonly id: number | null }>;
}

class Planner {
  private readonly variants: Matcher<NamedVariant>;
  private readonly definitions: Matcher<DefinitionDraft>;
  private readonly definitionsByCode: Map<string | null, DefinitionDraft>;
  private readonly createdDefinitions = new Set<DefinitionDraft>();
  private readonly changedDefinitions = new Set<DefinitionDraft>();
  private readonly values = new Map<number, Map<DefinitionDraft, string>>();
  private readonly matches = new Map<number, readonly RecordMatch[]>();

  constructor({ variants, definitions }: FoundAttributes) {
    const drafts = definitions.map((definition): DefinitionDraft => ({ ...definition }));
    this.variants = matcherOf(IDENTIFIER_ORDER.variant, variants);
    this.definitions = matcherOf(
      IDENTIFIER_ORDER.product_attribute_def,
      drafts,
      TRIMMED['PUT /int/product_attributes'].product_attribute_def,
    );
    this.definitionsByCode = new Map(drafts.map((draft) => [draft.code, draft]));
  }

  plan(row: DesiredAttributes, index: number): RowOutcome<PlannedAttributeRow> {
    const match = this.variants.explain(row);
    if (match.record === undefined) return 'API.Products.NotFound';
    const recordMatches: RecordMatch[] = [{ record: 'variant', match }];
    this.matches.set(index, recordMatches);
    const productId = match.record.product_id;
    for (const desiredAttribute of row.attributes) {
      const definition = this.definitionOf(desiredAttribute, recordMatches);
      if (typeof definition === 'string') return definition;
      this.setValue(productId, definition, desiredAttribute.value);
    }
    return { productId };
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }

  collectWrites(): Pick<AttributePlan, 'createdDefinitions' | 'changedDefinitions' | 'values'> {
    const values = [...this.values].flatMap(([productId, productValues]) =>
      [...productValues].map(([definition, value]) => ({ productId, definition, value })),
    );
    return {
      createdDefinitions: [...this.createdDefinitions],
      changedDefinitions: [...this.changedDefinitions].filter((definition) => !this.createdDefinitions.has(definition)),
      values,
    };
  }

  private definitionOf(desiredAttribute: DesiredAttribute, recordMatches: RecordMatch[]): DefinitionDraft | string {
    const match = this.definitions.explain({ external_ref: desiredAttribute.external_ref });
    recordMatches.push({ record: 'product_attribute_def', match });
    const definition = match.record ?? this.create(desiredAttribute);
    // A definition that the call creates has no id yet, so a sent id cannot contradict it.
    if (definition.id !== null && (desiredAttribute.definitionId ?? definition.id) !== definition.id)
      return 'API.ProductAttributeDefs.NotFound';
    return this.change(definition, desiredAttribute) ?? definition;
  }

  private create({ external_ref: sentReference, name }: DesiredAttribute): DefinitionDraft {
    const external_ref = storedIdentifier(sentReference);
    const definition = { id: null, external_ref, code: null, name: name ?? external_ref };
    this.definitions.add(definition);
    this.createdDefinitions.add(definition);
    return definition;
  }

  private change(definition: DefinitionDraft, desiredAttribute: DesiredAttribute): string | undefined {
    const code = desiredAttribute.code ?? definition.code;
    const name = desiredAttribute.name ?? definition.name;
    if (code === definition.code && name === definition.name) return undefined;
    const holder = code === definition.code ? undefined : this.definitionsByCode.get(code);
    if (holder?.code === code) return 'API.ProductAttributeDefs.CodeAlreadyExists';
    this.definitionsByCode.set(code, Object.assign(definition, { code, name }));
    this.changedDefinitions.add(definition);
    return undefined;
  }

  private setValue(productId: number, definition: DefinitionDraft, value: string): void {
    const productValues = this.values.get(productId) ?? new Map<DefinitionDraft, string>();
    this.values.set(productId, productValues.set(definition, value));
  }
}
