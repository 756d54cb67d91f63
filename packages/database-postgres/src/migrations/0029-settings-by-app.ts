import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const APP_SETTINGS = {
  name: 'app_settings',
  definition: `
    app_id bigint not null primary key,
    name text not null,
    currency text not null constraint app_settings_currency_check check (currency ~ '^[A-Z]{3}$'),
    default_language text not null default 'en',
    translations jsonb not null default '{}',
    settings jsonb not null default '{}',
    updated_at timestamptz not null`,
  foreignKeys: { app_settings_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

const COLUMNS = 'name, currency, default_language, translations, settings, updated_at';

const STATEMENTS = [
  `insert into app_settings (app_id, ${COLUMNS}) select id, ${COLUMNS} from apps`,
  `alter table apps drop column name, drop column currency, drop column default_language, drop column translations,
     drop column settings, drop column updated_at`,
];

/** Moves what an app can change into a table that a cluster distributes; `apps` is on every node. */
export class SettingsByApp1763700000029 implements MigrationInterface {
  readonly name = 'SettingsByApp1763700000029';

  async up(runner: QueryRunner): Promise<void> {
    // No other node may change settings meanwhile, and a stronger lock after the foreign key could deadlock.
    await runner.query('lock table apps in access exclusive mode');
    await createAppTable(runner, APP_SETTINGS);
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
