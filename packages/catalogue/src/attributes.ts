import type { BulkOptions, Page, RejectedRows } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredAttributes } from './desired-attributes.js';

export interface AttributeDefinition {
  readonly id: number;
  readonly external_ref: string;
  readonly code: string | null;
  readonly name: string;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export interface WrittenAttributes {
  readonly products: number;
  readonly definitionsCreated: number;
  readonly explain: Explanations | undefined;
}

export interface Attributes {
  /**
   * Sets attributes of products and creates missing definitions, all or nothing. A string in `rows` is the message key
   * of an invalid row. A row fails if it is invalid, matches no variant, or gives its definition the code of another
   * definition. If rows fail, returns their message keys.
   */
  put(
    appId: number,
    rows: readonly (DesiredAttributes | string)[],
    options?: BulkOptions,
  ): Promise<WrittenAttributes | RejectedRows>;
}

export interface AttributeQueries {
  findDefinition(appId: number, code: string): Promise<AttributeDefinition | undefined>;
  definitions(appId: number, page: Page): Promise<AttributeDefinition[]>;
}
