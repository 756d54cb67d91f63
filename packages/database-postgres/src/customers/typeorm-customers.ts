import {
  newCustomerColumns,
  type Customer,
  type Customers,
  type NewCustomer,
  type TakenFields,
} from '@back-office/customers';
import { newParts, withStoredForms, type Clock } from '@back-office/kernel';
import { randomInt } from 'node:crypto';
import type { Repository } from 'typeorm';
import { eventRows, eventsSql } from '../connection/event-statements.js';
import { violates } from '../connection/failures.js';
import type { Postgres } from '../connection/postgres.js';
import { repositoryOf } from '../connection/repositories.js';
import { CUSTOMERS } from '../tables/customers.js';
import type { RowOf } from '../tables/define-table.js';

const INSERTED_COLUMNS = CUSTOMERS.columns.except('app_id', 'id', 'search_text');
// This SQL is faster: the insert of a TypeORM repository takes a quarter longer.
const INSERT_CUSTOMER = `
  with made as (
    insert into customers (app_id, ${INSERTED_COLUMNS.list})
    select $1, ${INSERTED_COLUMNS.list} from json_to_record($2) as row (${INSERTED_COLUMNS.typedList}) returning id
  ), ${eventsSql('$3::timestamptz', '$4', 'made')}
  select id from made`;

const CREATED = eventRows([{ type: 'customer.created', recordId: null }]);

type UniqueField = TakenFields['taken'][number];
const UNIQUE_FIELDS: readonly (readonly [constraint: string, field: UniqueField])[] = [
  ['customers_email_key', 'email'],
  ['customers_external_ref_key', 'external_ref'],
];
const FIND_TAKEN = `
  select exists (select from customers where app_id = $1 and lower(email) = lower($2)) as email,
    exists (select from customers where app_id = $1 and external_ref = any($3::text[])) as external_ref`;

export class TypeOrmCustomers implements Customers {
  private readonly customers: Repository<RowOf<typeof CUSTOMERS>>;

  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {
    this.customers = repositoryOf(database.source, database, CUSTOMERS);
  }

  async add(appId: number, customer: NewCustomer): Promise<Customer | TakenFields> {
    const now = this.clock.now();
    const { dataPart, timePart } = newParts(now, randomInt);
    const parts = { data_part: dataPart, time_part: timePart };
    const row = { ...newCustomerColumns(customer), ...parts, inserted_at: now, updated_at: now };
    // The constraint does not find a reference that was stored with its spaces. No call stores a new one.
    if (customer.external_ref !== row.external_ref) {
      const taken = await this.findTakenFields(appId, customer);
      if (taken.includes('external_ref')) return { taken };
    }
    try {
      return await this.database.write(async (sql) => {
        const [insertedRow] = await sql.runLast<{ id: number }>(INSERT_CUSTOMER, [
          appId,
          JSON.stringify(row),
          now,
          CREATED,
        ]);
        return { ...row, id: (insertedRow as { id: number }).id };
      });
    } catch (error) {
      const isTaken = UNIQUE_FIELDS.some(([constraint]) => violates(error, constraint));
      if (!isTaken) throw error;
      return { taken: await this.findTakenFields(appId, customer, error) };
    }
  }

  /** Checks both fields, because the error names only one of them. */
  private async findTakenFields(appId: number, { email, external_ref: reference }: NewCustomer, error?: unknown) {
    const [takenFields] = await this.database.rows<Record<UniqueField, boolean>>(FIND_TAKEN, [
      appId,
      email,
      withStoredForms(reference ? [reference] : []),
    ]);
    const takenConstraints = UNIQUE_FIELDS.filter(
      ([constraint, field]) => violates(error, constraint) || takenFields?.[field],
    );
    return takenConstraints.map(([, field]) => field);
  }

  async find(appId: number, id: number, dataPart: number, timePart: number): Promise<Customer | undefined> {
    if (Math.abs(dataPart) >= 2 ** 15 || Math.abs(timePart) >= 2 ** 31) return undefined;
    const where = { app_id: appId, id, data_part: dataPart, time_part: timePart };
    return (await this.customers.findOneBy(where)) ?? undefined;
  }
}
