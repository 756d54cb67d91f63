import type { AttributeDefinition, AttributeQueries } from '@back-office/catalogue';
import type { Page } from '@back-office/kernel';
import type { Postgres } from '../connection/postgres.js';
import { ATTRIBUTE_DEFINITIONS } from '../tables/products.js';

const DEFINITION_COLUMNS = ATTRIBUTE_DEFINITIONS.columns.except('app_id').list;

export class SqlAttributeQueries implements AttributeQueries {
  constructor(private readonly database: Postgres) {}

  async findDefinition(appId: number, code: string): Promise<AttributeDefinition | undefined> {
    const text = `select ${DEFINITION_COLUMNS} from product_attribute_defs where app_id = $1 and code = $2`;
    return (await this.database.rows<AttributeDefinition>(text, [appId, code]))[0];
  }

  definitions(appId: number, { offset, limit }: Page): Promise<AttributeDefinition[]> {
    const text = `select ${DEFINITION_COLUMNS} from product_attribute_defs where app_id = $1 order by id offset $2 limit $3`;
    return this.database.rows(text, [appId, offset, limit]);
  }
}
