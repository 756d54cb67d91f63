import {
  planAttributes,
  productCount,
  type AttributeDefinition,
  type AttributePlan,
  type AttributeQueries,
  type Attributes,
  type DesiredAttributes,
  type WrittenAttributes,
} from '@back-office/catalogue';
import { rejectionOf, type BulkOptions, type Clock, type Page, type RejectedRows } from '@back-office/kernel';
import { pageOf } from '../lists.js';
import type { State } from '../state.js';

export class MemoryAttributes implements Attributes, AttributeQueries {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async put(
    appId: number,
    rows: readonly (DesiredAttributes | string)[],
    { explain, dryRun }: BulkOptions = {},
  ): Promise<WrittenAttributes | RejectedRows> {
    const { memory, variants, attributeDefinitions } = this.state;
    const work = (): WrittenAttributes | RejectedRows => {
      const existingRecords = { variants: variants.all(appId), definitions: attributeDefinitions.all(appId) };
      const plan = planAttributes(rows, existingRecords);
      const rejection = rejectionOf(plan.outcomes);
      if (rejection) return rejection;
      this.write(appId, plan, this.clock.now());
      const counts = { products: productCount(plan.outcomes), definitionsCreated: plan.createdDefinitions.length };
      return { ...counts, explain: explain ? plan.explain() : undefined };
    };
    return memory.transaction(work, { dryRun });
  }

  async findDefinition(appId: number, code: string): Promise<AttributeDefinition | undefined> {
    return this.state.attributeDefinitions.find(appId, (definition) => definition.code === code);
  }

  async definitions(appId: number, page: Page): Promise<AttributeDefinition[]> {
    return pageOf(this.state.attributeDefinitions.all(appId), page);
  }

  private write(appId: number, { createdDefinitions, changedDefinitions, values }: AttributePlan, now: Date): void {
    const { attributeDefinitions } = this.state;
    for (const { id, code, name } of changedDefinitions) {
      const existingDefinition = attributeDefinitions.get(appId, id as number) as AttributeDefinition;
      attributeDefinitions.put(appId, { ...existingDefinition, code, name, updated_at: now });
    }
    for (const definition of createdDefinitions) {
      const { external_ref, code, name } = definition;
      const dates = { inserted_at: now, updated_at: now };
      definition.id = attributeDefinitions.insert(appId, { external_ref, code, name, ...dates }).id;
    }
    this.setValues(appId, values, now);
  }

  /** Skips values that are already stored. */
  private setValues(appId: number, values: AttributePlan['values'], now: Date): void {
    const { productAttributes } = this.state;
    const keyOf = (productId: number, definitionId: number | null) => `${productId}/${definitionId}`;
    const existingValues = new Map(
      productAttributes.all(appId).map((row) => [keyOf(row.product_id, row.product_attribute_def_id), row]),
    );
    for (const { productId, definition, value } of values) {
      const existingValue = existingValues.get(keyOf(productId, definition.id));
      if (existingValue === undefined) {
        const fields = { product_id: productId, product_attribute_def_id: definition.id as number };
        productAttributes.insert(appId, { ...fields, value, updated_at: now });
      } else if (existingValue.value !== value)
        productAttributes.put(appId, { ...existingValue, value, updated_at: now });
    }
  }
}
