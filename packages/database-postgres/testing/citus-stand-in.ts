import pg from 'pg';

/**
 * Simulates Citus in one PostgreSQL. It has the functions and catalogue tables that `distribute` and migrations use,
 * but moves no rows. It refuses the same calls as Citus 13.2, with the same messages (`create_distributed_table.c`,
 * `foreign_constraint.c`, `table.c`). It is stricter in one case: Citus lets a local table reference a distributed one,
 * but then refuses every row inserted into the local table.
 */
const STAND_IN = `
create schema citus_stand_in;
set search_path = public, citus_stand_in;

create table citus_stand_in.pg_dist_partition (
  logicalrelid regclass primary key, partmethod "char" not null, partkey text, colocationid integer not null,
  repmodel "char" not null, autoconverted boolean not null default false
);
create table citus_stand_in.pg_dist_shard (logicalrelid regclass not null, shardid bigint primary key);
create table citus_stand_in.pg_dist_local_group (groupid integer primary key);
insert into pg_dist_local_group values (0);
create sequence citus_stand_in.colocations;
-- Tables without local rows.
create table citus_stand_in.truncated (logicalrelid regclass primary key);

create function citus_stand_in.column_to_column_name(logicalrelid regclass, partkey text) returns text
  language sql as 'select $2';

create function citus_stand_in.is_sequential() returns boolean language sql as
  $$ select coalesce(current_setting('citus.multi_shard_modify_mode', true), '') = 'sequential' $$;

-- Parallel commands cannot be followed by commands that need a single connection per node.
create function citus_stand_in.mark_parallel() returns void language sql as
  $$ select set_config('citus_stand_in.parallel', 'on', true) where not citus_stand_in.is_sequential() $$;
create function citus_stand_in.is_parallel() returns boolean language sql as
  $$ select coalesce(current_setting('citus_stand_in.parallel', true), '') = 'on' $$;

create function citus_stand_in.references_reference_table(target regclass) returns boolean language sql as $$
  select exists (select from pg_constraint c join pg_dist_partition p on p.logicalrelid = c.confrelid
    where c.conrelid = target and c.contype = 'f' and p.repmodel = 't')
$$;

-- A plain table must not reference a distributed one; one that references a reference table gets tracked.
create function citus_stand_in.check_plain(target regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_constraint c join pg_dist_partition p on p.logicalrelid = c.confrelid
      where c.conrelid = target and c.contype = 'f' and p.partmethod = 'h') then
    raise 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported';
  end if;
  if citus_stand_in.references_reference_table(target)
      and coalesce(current_setting('citus.enable_local_reference_table_foreign_keys', true), '') <> 'off' then
    insert into pg_dist_partition values (target, 'n', null, 0, 's', true) on conflict do nothing;
  end if;
end $$;

create function citus_stand_in.check_foreign_key(link pg_constraint) returns void language plpgsql as $$
declare
  own pg_dist_partition;
  other pg_dist_partition;
  own_position integer;
begin
  select * into own from pg_dist_partition where logicalrelid = link.conrelid;
  select * into other from pg_dist_partition where logicalrelid = link.confrelid and not autoconverted;
  if other is null then
    raise 'referenced table "%" must be a distributed table or a reference table', link.confrelid::regclass;
  end if;
  if own.repmodel = 't' and other.partmethod = 'h' then
    raise 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported';
  end if;
  if own.repmodel = 't' then return; end if;
  own_position := array_position(link.conkey, (select attnum from pg_attribute where attrelid = link.conrelid and attname = own.partkey));
  if own_position is not null and (link.confdeltype in ('n', 'd') or link.confupdtype in ('n', 'd', 'c')) then
    raise 'cannot create foreign key constraint' using
      detail = 'SET NULL, SET DEFAULT or CASCADE is not supported when distribution key is included';
  end if;
  if other.repmodel = 't' then return; end if;
  if other.colocationid <> own.colocationid then
    raise 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table';
  end if;
  if own_position is distinct from array_position(link.confkey,
      (select attnum from pg_attribute where attrelid = link.confrelid and attname = other.partkey)) or own_position is null then
    raise 'cannot create foreign key constraint' using
      detail = 'supported between two colocated tables including partition column in the same ordinal';
  end if;
end $$;

create function citus_stand_in.check_table(target regclass) returns void language plpgsql as $$
declare
  own pg_dist_partition;
  found record;
begin
  select * into own from pg_dist_partition where logicalrelid = target and not autoconverted;
  if own is null then
    perform citus_stand_in.check_plain(target);
    return;
  end if;
  if exists (select from pg_trigger where tgrelid = target and not tgisinternal) then
    raise 'cannot distribute relation "%" because it has triggers', target;
  end if;
  for found in select c from pg_constraint c where conrelid = target and contype = 'f' loop
    perform citus_stand_in.check_foreign_key(found.c);
  end loop;
  if own.partmethod = 'h' and exists (select from pg_index i where i.indrelid = target
      and (i.indisunique or i.indisexclusion) and not exists (select from pg_attribute a
        where a.attrelid = target and a.attname = own.partkey and a.attnum = any (i.indkey))) then
    raise 'cannot create constraint on "%"', target;
  end if;
end $$;

create function citus_stand_in.reset_table(target regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_dist_partition where logicalrelid = target and not autoconverted) then
    raise 'table "%" is already distributed', target;
  end if;
  if exists (select from pg_dist_partition where logicalrelid = target)
      and exists (select from pg_attribute where attrelid = target and attidentity <> '') then
    raise 'cannot complete operation on a table with identity column';
  end if;
  delete from pg_dist_partition where logicalrelid = target;
end $$;

create function citus_stand_in.create_reference_table(table_name regclass) returns void language plpgsql as $$
declare referencing regclass;
begin
  delete from pg_dist_partition where logicalrelid = table_name and autoconverted;
  perform citus_stand_in.reset_table(table_name);
  insert into pg_dist_partition values (table_name, 'n', null, 1000000, 't');
  perform citus_stand_in.check_table(table_name);
  for referencing in select conrelid from pg_constraint c where confrelid = table_name and contype = 'f'
      and not exists (select from pg_dist_partition where logicalrelid = c.conrelid) loop
    perform citus_stand_in.check_plain(referencing);
  end loop;
end $$;

create function citus_stand_in.create_distributed_table(
  table_name regclass, distribution_column text, distribution_type text default 'hash',
  colocate_with text default 'default', shard_count integer default null
) returns void language plpgsql as $$
declare colocated pg_dist_partition;
begin
  perform citus_stand_in.reset_table(table_name);
  if not exists (select from pg_attribute where attrelid = table_name and attname = distribution_column and attnum > 0) then
    raise 'column "%" of relation "%" does not exist', distribution_column, table_name;
  end if;
  if colocate_with not in ('default', 'none') then
    select * into colocated from pg_dist_partition where logicalrelid = colocate_with::regclass and partmethod = 'h';
    if colocated is null then raise 'relation % is not distributed', colocate_with; end if;
  end if;
  insert into pg_dist_partition
  values (table_name, 'h', distribution_column, coalesce(colocated.colocationid, nextval('colocations')), 's');
  perform citus_stand_in.check_table(table_name);
  if not citus_stand_in.references_reference_table(table_name) then perform citus_stand_in.mark_parallel();
  elsif citus_stand_in.is_parallel() then
    raise 'cannot distribute relation "%" in this transaction because it has a foreign key to a reference table', table_name;
  end if;
end $$;

create function citus_stand_in.truncate_local_data_after_distributing_table(function_arg regclass) returns void
  language plpgsql as $$
begin
  if not exists (select from pg_dist_partition where logicalrelid = function_arg and not autoconverted) then
    raise 'supplied parameter is not a distributed relation';
  end if;
  if exists (select from pg_constraint c where confrelid = function_arg and contype = 'f'
      and not exists (select from pg_dist_partition where logicalrelid = c.conrelid and not autoconverted)) then
    raise 'cannot truncate a table referenced in a foreign key constraint by a local table';
  end if;
  insert into truncated values (function_arg);
end $$;

create function citus_stand_in.check_alteration(target regclass, command text) returns void language plpgsql as $$
declare parts text[];
begin
  while command ~ '\\([^()]*\\)' loop command := regexp_replace(command, '\\([^()]*\\)', ' ', 'g'); end loop;
  parts := regexp_split_to_array(command, ',');
  if command ~* 'add\\s+constraint' and cardinality(parts) > 1 then
    raise 'cannot execute ADD CONSTRAINT command with other subcommands';
  end if;
  if exists (select from unnest(parts) as part
      where part ~* 'add\\s+column' and part ~* '\\m(check|unique|primary)\\M' and part !~* '\\mconstraint\\M') then
    raise 'cannot execute ADD COLUMN command with PRIMARY KEY, UNIQUE, FOREIGN and CHECK constraints';
  end if;
  if not citus_stand_in.references_reference_table(target) then perform citus_stand_in.mark_parallel();
  elsif citus_stand_in.is_parallel() then
    raise 'cannot modify table "%" because there was a parallel operation on a distributed table in the transaction', target;
  end if;
end $$;

create function citus_stand_in.check_index(target regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_index i join pg_dist_partition p on p.logicalrelid = i.indrelid and p.partmethod = 'h'
      join pg_attribute a on a.attrelid = i.indrelid and a.attname = p.partkey
      where i.indexrelid = target and i.indisunique and a.attnum <> all (i.indkey)) then
    raise 'creating unique indexes on non-partition columns is currently unsupported';
  end if;
end $$;

create function citus_stand_in.check_command() returns event_trigger language plpgsql as $$
declare command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() where classid = 'pg_class'::regclass loop
    if command.command_tag = 'CREATE INDEX' then
      perform citus_stand_in.check_index(command.objid);
    elsif command.command_tag in ('CREATE TABLE', 'ALTER TABLE') and command.object_type = 'table' then
      perform citus_stand_in.check_table(command.objid);
      if command.command_tag = 'ALTER TABLE'
          and exists (select from pg_dist_partition where logicalrelid = command.objid and partmethod = 'h') then
        perform citus_stand_in.check_alteration(command.objid, current_query());
      end if;
    end if;
  end loop;
end $$;
create event trigger citus_stand_in on ddl_command_end execute function citus_stand_in.check_command();
`;

export async function installCitusStandIn({ url }: { readonly url: string }): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(STAND_IN);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`alter database ${rows[0]?.name} set search_path = public, citus_stand_in`);
  } finally {
    await client.end();
  }
}

export const CLUSTER_TABLES = `
  select logicalrelid::text as name, partmethod::text as method, partkey as column, colocationid as colocation
  from citus_stand_in.pg_dist_partition order by 1`;

export interface ClusterTable {
  readonly name: string;
  readonly method: string;
  readonly column: string | null;
  readonly colocation: number;
}

export const FOREIGN_KEYS = `
  select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition, convalidated
  from pg_constraint where contype = 'f' order by 1`;
