import type { MigrationInterface, QueryRunner } from 'typeorm';
import { foldName } from '@back-office/database';

const STATEMENTS = [
  `create extension if not exists pg_trgm`,
  `create extension if not exists btree_gin`,
  `alter table products
    add column search_name text not null default '',
    add column search_all text not null default ''`,
  `create index products_search_name_idx on products using gin (app_id, search_name gin_trgm_ops)`,
  `create index products_search_all_idx on products using gin (app_id, search_all gin_trgm_ops)`,
  `create index products_name_idx on products (app_id, search_name, id)`,
  `create index products_lowest_price_idx on products (app_id, lowest_price, id)`,
  `create index products_inserted_at_idx on products (app_id, inserted_at, id)`,
  `create table product_attribute_defs (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    external_ref text not null,
    code text,
    name text not null,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint product_attribute_defs_external_ref_key unique (app_id, external_ref),
    constraint product_attribute_defs_code_key unique (app_id, code)
  )`,
  `create table product_attributes (
    app_id bigint not null,
    product_id bigint not null,
    product_attribute_def_id bigint not null,
    value text not null,
    updated_at timestamptz not null,
    primary key (app_id, product_id, product_attribute_def_id),
    constraint product_attributes_product_fkey foreign key (app_id, product_id) references products (app_id, id),
    constraint product_attributes_def_fkey foreign key (app_id, product_attribute_def_id)
      references product_attribute_defs (app_id, id)
  )`,
  `create index product_attributes_def_idx on product_attributes (app_id, product_attribute_def_id)`,
  `create table app_locations (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    code text,
    external_ref text,
    name text not null,
    latitude double precision not null check (latitude between -90 and 90),
    longitude double precision not null check (longitude between -180 and 180),
    address_line_1 text,
    city text,
    postcode text,
    image_url text,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint app_locations_code_key unique (app_id, code) deferrable,
    constraint app_locations_external_ref_key unique (app_id, external_ref) deferrable
  )`,
  `create index app_locations_latitude_idx on app_locations (app_id, latitude)`,
  `create table cards (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    data_part smallint not null check (data_part between 1 and 64),
    time_part integer not null check (time_part >= 0),
    barcode text not null,
    external_ref text,
    customer_id bigint,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint cards_barcode_key unique (app_id, barcode),
    constraint cards_external_ref_key unique (app_id, external_ref),
    constraint cards_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id)
  )`,
  `create index cards_customer_idx on cards (app_id, customer_id) where customer_id is not null`,
  `create table customer_attendances (
    app_id bigint not null,
    id bigint generated always as identity,
    customer_id bigint not null,
    app_location_id bigint not null,
    latitude double precision not null,
    longitude double precision not null,
    accuracy double precision,
    distance_m integer not null check (distance_m >= 0),
    inserted_at timestamptz not null,
    primary key (app_id, id),
    constraint customer_attendances_customer_fkey foreign key (app_id, customer_id) references customers (app_id, id),
    constraint customer_attendances_location_fkey foreign key (app_id, app_location_id)
      references app_locations (app_id, id)
  )`,
  `create index customer_attendances_newest_idx
    on customer_attendances (app_id, customer_id, inserted_at desc, id desc)`,
  // A foreign key is impossible, because tokens are a reference table and customers are distributed.
  `alter table access_tokens
    add column customer_id bigint,
    add column device_id bigint`,
  `create index access_tokens_customer_idx on access_tokens (app_id, customer_id) where customer_id is not null`,
  `alter table orders
    add column search_text text generated always as (lower(
      order_number || ' ' || coalesce(invoice_number, '') || ' ' || coalesce(customer_first_name, '') || ' ' ||
      coalesce(customer_last_name, '') || ' ' || coalesce(customer_email, '') || ' ' || coalesce(customer_phone, '')
    )) stored,
    add constraint orders_location_fkey foreign key (app_id, app_location_id) references app_locations (app_id, id)`,
  `create index orders_search_idx on orders using gin (app_id, search_text gin_trgm_ops)`,
  `create index orders_date_idx on orders (app_id, order_date, id)`,
  `create index orders_location_idx on orders (app_id, app_location_id, inserted_at desc, id desc)
    where app_location_id is not null`,
  `alter table customers
    add column search_text text generated always as (lower(
      first_name || ' ' || last_name || ' ' || email || ' ' || coalesce(phone, '')
    )) stored`,
  `create index customers_search_idx on customers using gin (app_id, search_text gin_trgm_ops)`,
  `create index customers_name_idx on customers (app_id, first_name, last_name, id)`,
  `create index proforma_orders_paid_idx on proforma_orders (app_id, expires_at) where due_at is null and status_id <= 5`,
  `create table idempotency_keys (
    app_id bigint not null references apps (id),
    access_token_id bigint not null,
    key text not null,
    fingerprint bytea not null check (octet_length(fingerprint) = 32),
    run uuid not null,
    leased_until timestamptz not null,
    outcome bytea,
    status smallint,
    headers jsonb,
    body bytea,
    inserted_at timestamptz not null,
    primary key (app_id, access_token_id, key)
  )`,
  `create index idempotency_keys_inserted_idx on idempotency_keys (inserted_at)`,
];

const BATCH = 5_000;

export class CatalogueInFull1763700000003 implements MigrationInterface {
  readonly name = 'CatalogueInFull1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    for (let lastId = 0; ;) {
      const products = (await runner.query(
        `select app_id::text as app_id, id::text as id, name from products where id > $1 order by id limit ${BATCH}`,
        [lastId],
      )) as { app_id: string; id: string; name: string }[];
      if (products.length === 0) break;
      lastId = Number(products.at(-1)?.id);
      await runner.query(
        `update products p set search_name = n.name
         from json_to_recordset($1) as n (app_id bigint, id bigint, name text) where p.app_id = n.app_id and p.id = n.id`,
        [JSON.stringify(products.map((product) => ({ ...product, name: foldName(product.name) })))],
      );
    }
    await runner.query(
      `update products p set search_all = concat_ws(' ', p.search_name, lower(p.code), (
         select string_agg(concat_ws(' ', lower(v.code), lower(v.barcode)), ' ' order by v.id)
         from product_variants v where v.app_id = p.app_id and v.product_id = p.id))`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
