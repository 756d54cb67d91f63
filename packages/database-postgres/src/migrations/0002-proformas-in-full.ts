import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `create table promotions (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    code text not null,
    name text not null,
    kind text not null check (kind in ('percentage', 'amount', 'buy_x_get_y')),
    value bigint not null check (value > 0),
    buy_qty integer,
    get_qty integer,
    min_qty bigint not null default 0 check (min_qty >= 0),
    min_amount bigint not null default 0 check (min_amount >= 0),
    variant_codes text[] not null default '{}',
    coupon_code text,
    valid_from timestamptz,
    valid_until timestamptz,
    priority integer not null default 0,
    active boolean not null default true,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint promotions_code_key unique (app_id, code),
    constraint promotions_share_check check (kind = 'amount' or value <= 10000),
    constraint promotions_groups_check check ((kind = 'buy_x_get_y') = (buy_qty is not null and get_qty is not null)),
    constraint promotions_buy_check check (buy_qty > 0 and get_qty > 0)
  )`,
  `create index promotions_active_idx on promotions (app_id) where active`,
  `create table shipment_methods (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    code text not null,
    name text not null,
    price bigint not null check (price >= 0),
    vat_rate integer not null check (vat_rate between 0 and 10000),
    free_from bigint check (free_from >= 0),
    requires_pickup_point boolean not null default false,
    pickup_points jsonb not null default '[]',
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint shipment_methods_code_key unique (app_id, code)
  )`,
  `create table vouchers (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    code text not null,
    amount bigint not null check (amount > 0),
    spent bigint not null default 0,
    customer_id bigint,
    valid_from timestamptz,
    valid_until timestamptz,
    active boolean not null default true,
    held_by bigint,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint vouchers_code_key unique (app_id, code),
    constraint vouchers_spent_check check (spent between 0 and amount),
    constraint vouchers_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id),
    constraint vouchers_held_by_fkey foreign key (app_id, held_by) references proforma_orders (app_id, id)
  )`,
  `create index vouchers_held_by_idx on vouchers (app_id, held_by) where held_by is not null`,
  `create table loyalty_bookings (
    app_id bigint not null,
    order_id bigint not null,
    customer_id bigint not null,
    points bigint not null check (points > 0),
    inserted_at timestamptz not null,
    primary key (app_id, order_id),
    constraint loyalty_bookings_order_fkey foreign key (app_id, order_id) references orders (app_id, id),
    constraint loyalty_bookings_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id)
  )`,
  `alter table order_processings
    add column promotions jsonb not null default '[]',
    add column vouchers jsonb not null default '[]'`,
  `alter table proforma_orders
    add column promotions jsonb not null default '[]',
    add column earned_points bigint not null default 0 check (earned_points >= 0)`,
  `alter table payments
    add column kind text not null default 'other'
      constraint payments_kind_check check (kind in ('cash', 'bank_transfer', 'card', 'other', 'voucher')),
    add column reference text,
    add column voucher_id bigint,
    add constraint payments_voucher_fkey foreign key (app_id, voucher_id) references vouchers (app_id, id),
    add constraint payments_voucher_check check ((kind = 'voucher') = (voucher_id is not null))`,
  `create index proforma_orders_expires_idx on proforma_orders (app_id, expires_at, id)`,
  `create index proforma_orders_name_idx on proforma_orders (app_id, customer_last_name, customer_first_name, id)`,
  `create index proforma_orders_alerts_idx on proforma_orders (app_id, inserted_at desc, id desc) where open_alerts_count > 0`,
  `create index proforma_orders_converted_idx on proforma_orders (app_id, converted_at) where converted_at is not null`,
  `update payments y set kind = m.kind from payment_methods m where m.app_id = y.app_id and m.id = y.payment_method_id`,
];

export class ProformasInFull1763700000002 implements MigrationInterface {
  readonly name = 'ProformasInFull1763700000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
