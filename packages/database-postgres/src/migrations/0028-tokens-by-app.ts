import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const DEFINITION = `
  app_id bigint not null,
  id bigint generated always as identity,
  kind text not null constraint access_tokens_kind_check check (kind in ('app', 'session', 'upload')),
  token_hash bytea not null constraint access_tokens_token_hash_check check (octet_length(token_hash) = 32),
  language text,
  inserted_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  customer_id bigint,
  device_id bigint,
  device_uuid text,
  device_type text,
  device_vendor text,
  mobile_info text,
  firebase_token text,
  name text,
  scopes text[],
  last_used_at timestamptz,
  upload_folder text,
  upload_preset_id bigint,
  primary key (app_id, id),
  constraint access_tokens_token_hash_key unique (app_id, token_hash)`;

const COLUMNS = `app_id, id, kind, token_hash, language, inserted_at, expires_at, revoked_at, customer_id, device_id,
  device_uuid, device_type, device_vendor, mobile_info, firebase_token, name, scopes, last_used_at, upload_folder,
  upload_preset_id`;

const COPY_ROWS = [
  `insert into access_tokens (${COLUMNS}) overriding system value select ${COLUMNS} from kept_access_tokens`,
  'drop table kept_access_tokens',
  // Finds tokens of earlier versions, which do not name their app.
  'create index access_tokens_hash_idx on access_tokens (token_hash)',
  'create index access_tokens_listed_idx on access_tokens (app_id, kind, id)',
  'create index access_tokens_customer_idx on access_tokens (app_id, customer_id) where customer_id is not null',
  `create index access_tokens_ended_idx on access_tokens (least(expires_at, revoked_at)) where kind <> 'app'`,
];

const SEQUENCE = `pg_get_serial_sequence('access_tokens', 'id')`;

interface Sequence {
  readonly last_value: string;
  readonly is_called: boolean;
}

/** Creates the table again, because Citus cannot distribute a table that was on every node and has an identity. */
export class TokensByApp1763700000028 implements MigrationInterface {
  readonly name = 'TokensByApp1763700000028';

  async up(runner: QueryRunner): Promise<void> {
    // No other node may revoke a token between the copy and the drop.
    await runner.query('lock table access_tokens in access exclusive mode');
    // Ids of removed tokens are in the audit log, so no new token may get them.
    const [{ name }] = (await runner.query(`select ${SEQUENCE} as name`)) as [{ name: string }];
    const [sequence] = (await runner.query(`select last_value, is_called from ${name}`)) as [Sequence];
    await runner.query('create table kept_access_tokens as select * from access_tokens');
    await runner.query('drop table access_tokens');
    await createAppTable(runner, {
      name: 'access_tokens',
      definition: DEFINITION,
      foreignKeys: { access_tokens_app_id_fkey: 'foreign key (app_id) references apps (id)' },
    });
    await runner.query(`select setval(${SEQUENCE}, $1, $2)`, [sequence.last_value, sequence.is_called]);
    for (const statement of COPY_ROWS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
