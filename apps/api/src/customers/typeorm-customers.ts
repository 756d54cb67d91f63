import { newParts, type Clock } from '@back-office/kernel';
import { randomInt } from 'node:crypto';
import { EntitySchema, type Repository } from 'typeorm';
import type { Database } from '../database/database.js';
import { violates } from '../database/failures.js';

export interface CustomerRow {
  app_id: number;
  id: number;
  data_part: number;
  time_part: number;
  external_ref: string | null;
  email: string;
  first_name: string;
  last_name: string;
  phone: string | null;
  viber_subscribed: boolean;
  preferred_notification_channel_id: number | null;
  loyalty_points: number;
  inserted_at: Date;
  updated_at: Date;
}

export const CustomerEntity = new EntitySchema<CustomerRow>({
  name: 'Customer',
  tableName: 'customers',
  columns: {
    app_id: { type: 'bigint', primary: true },
    id: { type: 'bigint', primary: true, generated: 'increment' },
    data_part: { type: 'smallint' },
    time_part: { type: 'integer' },
    external_ref: { type: 'text', nullable: true },
    email: { type: 'text' },
    first_name: { type: 'text' },
    last_name: { type: 'text' },
    phone: { type: 'text', nullable: true },
    viber_subscribed: { type: 'boolean', default: false },
    preferred_notification_channel_id: { type: 'smallint', nullable: true },
    loyalty_points: { type: 'bigint', default: 0 },
    inserted_at: { type: 'timestamptz' },
    updated_at: { type: 'timestamptz' },
  },
});

export type NewCustomer = Pick<CustomerRow, 'email' | 'first_name' | 'last_name'> &
  Partial<Pick<CustomerRow, 'external_ref' | 'phone' | 'viber_subscribed' | 'preferred_notification_channel_id'>>;

const COLUMNS = `
  data_part smallint, time_part int, external_ref text, email text, first_name text, last_name text,
  phone text, viber_subscribed bool, preferred_notification_channel_id smallint, loyalty_points bigint,
  inserted_at timestamptz, updated_at timestamptz`;
const NAMES = COLUMNS.replaceAll(/(\w+) \w+/g, '$1');
const INSERT = `
  insert into customers (app_id, ${NAMES})
  select $1, ${NAMES} from json_to_record($2) as row (${COLUMNS}) returning id`;

type Unique = 'email' | 'external_ref';
const UNIQUE: readonly (readonly [constraint: string, field: Unique])[] = [
  ['customers_email_key', 'email'],
  ['customers_external_ref_key', 'external_ref'],
];
const TAKEN = `
  select exists (select from customers where app_id = $1 and lower(email) = lower($2)) as email,
    exists (select from customers where app_id = $1 and external_ref = $3) as external_ref`;

export interface Taken {
  readonly taken: readonly Unique[];
}

export class TypeOrmCustomers {
  private readonly customers: Repository<CustomerRow>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.customers = database.source.getRepository(CustomerEntity);
  }

  /** Or which fields other customers of the app have already: the e-mail (case does not count), the reference. */
  async add(appId: number, customer: NewCustomer): Promise<CustomerRow | Taken> {
    const now = this.clock.now();
    const { dataPart, timePart } = newParts(now, randomInt);
    const parts = { data_part: dataPart, time_part: timePart };
    const row = { ...BLANK, ...customer, ...parts, app_id: appId, inserted_at: now, updated_at: now };
    try {
      return await this.database.write(async (sql) => {
        const [made] = await sql.last<{ id: number }>(INSERT, [appId, JSON.stringify(row)]);
        return { ...row, id: (made as { id: number }).id };
      });
    } catch (error) {
      const isTaken = UNIQUE.some(([constraint]) => violates(error, constraint));
      if (!isTaken) throw error;
      return { taken: await this.taken(appId, row, error) };
    }
  }

  /** The database names one of the fields; the other may be taken, too. */
  private async taken(appId: number, { email, external_ref: reference }: NewCustomer, error: unknown) {
    const [found] = await this.database.rows<Record<Unique, boolean>>(TAKEN, [appId, email, reference ?? null]);
    const taken = UNIQUE.filter(([constraint, field]) => violates(error, constraint) || found?.[field]);
    return taken.map(([, field]) => field);
  }

  /** The customer that the id names together with its parts; with wrong parts there is none. */
  async find(appId: number, id: number, dataPart: number, timePart: number): Promise<CustomerRow | undefined> {
    const where = { app_id: appId, id, data_part: dataPart, time_part: timePart };
    return (await this.database.read(() => this.customers.findOneBy(where))) ?? undefined;
  }
}

const BLANK = {
  external_ref: null,
  phone: null,
  viber_subscribed: false,
  preferred_notification_channel_id: null,
  loyalty_points: 0,
};
