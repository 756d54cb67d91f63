import pg from 'pg';

/**
 * What `distribute` and later migrations meet on a cluster, in one PostgreSQL: the functions and the catalogue of Citus
 * that they use, and the rules by which Citus 13.2 refuses (`create_distributed_table.c`, `foreign_constraint.c`,
 * `table.c`), with its messages. Tables stay where they are. It is stricter in one place: Citus lets a local table
 * point at a distributed one, and then refuses every row that is inserted into it.
 */
const STAND_IN = `
create schema citus_stand_in;
set search_path = public, citus_stand_in;

create table citus_stand_in.pg_dist_partition (
  logicalrelid regclass primary key, partmethod "char" not null, partkey text, colocationid integer not null,
  repmodel "char" not null, autoconverted boolean not null default false
);
create table citus_stand_in.pg_dist_local_group (groupid integer primary key);
insert into pg_dist_local_group values (0);
create sequence citus_stand_in.colocations;
-- Whose rows are on the nodes alone.
create table citus_stand_in.truncated (logicalrelid regclass primary key);

create function citus_stand_in.column_to_column_name(logicalrelid regclass, partkey text) returns text
  language sql as 'select $2';

create function citus_stand_in.is_sequential() returns boolean language sql as
  $$ select coalesce(current_setting('citus.multi_shard_modify_mode', true), '') = 'sequential' $$;

-- What is done on several connections to a node at once cannot be followed by what needs a single one.
create function citus_stand_in.goes_parallel() returns void language sql as
  $$ select set_config('citus_stand_in.parallel', 'on', true) where not citus_stand_in.is_sequential() $$;
create function citus_stand_in.went_parallel() returns boolean language sql as
  $$ select coalesce(current_setting('citus_stand_in.parallel', true), '') = 'on' $$;

create function citus_stand_in.points_at_reference(asked regclass) returns boolean language sql as $$
  select exists (select from pg_constraint c join pg_dist_partition p on p.logicalrelid = c.confrelid
    where c.conrelid = asked and c.contype = 'f' and p.repmodel = 't')
$$;

-- Nothing plain may point at what is spread, and what points at a reference table is taken into care.
create function citus_stand_in.look_at_plain(asked regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_constraint c join pg_dist_partition p on p.logicalrelid = c.confrelid
      where c.conrelid = asked and c.contype = 'f' and p.partmethod = 'h') then
    raise 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported';
  end if;
  if citus_stand_in.points_at_reference(asked)
      and coalesce(current_setting('citus.enable_local_reference_table_foreign_keys', true), '') <> 'off' then
    insert into pg_dist_partition values (asked, 'n', null, 0, 's', true) on conflict do nothing;
  end if;
end $$;

create function citus_stand_in.look_at_foreign_key(link pg_constraint) returns void language plpgsql as $$
declare
  mine pg_dist_partition;
  other pg_dist_partition;
  mine_at integer;
begin
  select * into mine from pg_dist_partition where logicalrelid = link.conrelid;
  select * into other from pg_dist_partition where logicalrelid = link.confrelid and not autoconverted;
  if other is null then
    raise 'referenced table "%" must be a distributed table or a reference table', link.confrelid::regclass;
  end if;
  if mine.repmodel = 't' and other.partmethod = 'h' then
    raise 'cannot create foreign key constraint since foreign keys from reference tables and local tables to distributed tables are not supported';
  end if;
  if mine.repmodel = 't' then return; end if;
  mine_at := array_position(link.conkey, (select attnum from pg_attribute where attrelid = link.conrelid and attname = mine.partkey));
  if mine_at is not null and (link.confdeltype in ('n', 'd') or link.confupdtype in ('n', 'd', 'c')) then
    raise 'cannot create foreign key constraint' using
      detail = 'SET NULL, SET DEFAULT or CASCADE is not supported when distribution key is included';
  end if;
  if other.repmodel = 't' then return; end if;
  if other.colocationid <> mine.colocationid then
    raise 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table';
  end if;
  if mine_at is distinct from array_position(link.confkey,
      (select attnum from pg_attribute where attrelid = link.confrelid and attname = other.partkey)) or mine_at is null then
    raise 'cannot create foreign key constraint' using
      detail = 'supported between two colocated tables including partition column in the same ordinal';
  end if;
end $$;

create function citus_stand_in.look_at(asked regclass) returns void language plpgsql as $$
declare
  mine pg_dist_partition;
  found record;
begin
  select * into mine from pg_dist_partition where logicalrelid = asked and not autoconverted;
  if mine is null then
    perform citus_stand_in.look_at_plain(asked);
    return;
  end if;
  if exists (select from pg_trigger where tgrelid = asked and not tgisinternal) then
    raise 'cannot distribute relation "%" because it has triggers', asked;
  end if;
  for found in select c from pg_constraint c where conrelid = asked and contype = 'f' loop
    perform citus_stand_in.look_at_foreign_key(found.c);
  end loop;
  if mine.partmethod = 'h' and exists (select from pg_index i where i.indrelid = asked
      and (i.indisunique or i.indisexclusion) and not exists (select from pg_attribute a
        where a.attrelid = asked and a.attname = mine.partkey and a.attnum = any (i.indkey))) then
    raise 'cannot create constraint on "%"', asked;
  end if;
end $$;

create function citus_stand_in.release(asked regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_dist_partition where logicalrelid = asked and not autoconverted) then
    raise 'table "%" is already distributed', asked;
  end if;
  if exists (select from pg_dist_partition where logicalrelid = asked)
      and exists (select from pg_attribute where attrelid = asked and attidentity <> '') then
    raise 'cannot complete operation on a table with identity column';
  end if;
  delete from pg_dist_partition where logicalrelid = asked;
end $$;

create function citus_stand_in.create_reference_table(table_name regclass) returns void language plpgsql as $$
declare pointing regclass;
begin
  delete from pg_dist_partition where logicalrelid = table_name and autoconverted;
  perform citus_stand_in.release(table_name);
  insert into pg_dist_partition values (table_name, 'n', null, 1000000, 't');
  perform citus_stand_in.look_at(table_name);
  for pointing in select conrelid from pg_constraint c where confrelid = table_name and contype = 'f'
      and not exists (select from pg_dist_partition where logicalrelid = c.conrelid) loop
    perform citus_stand_in.look_at_plain(pointing);
  end loop;
end $$;

create function citus_stand_in.create_distributed_table(
  table_name regclass, distribution_column text, distribution_type text default 'hash',
  colocate_with text default 'default', shard_count integer default null
) returns void language plpgsql as $$
declare beside pg_dist_partition;
begin
  perform citus_stand_in.release(table_name);
  if not exists (select from pg_attribute where attrelid = table_name and attname = distribution_column and attnum > 0) then
    raise 'column "%" of relation "%" does not exist', distribution_column, table_name;
  end if;
  if colocate_with not in ('default', 'none') then
    select * into beside from pg_dist_partition where logicalrelid = colocate_with::regclass and partmethod = 'h';
    if beside is null then raise 'relation % is not distributed', colocate_with; end if;
  end if;
  insert into pg_dist_partition
  values (table_name, 'h', distribution_column, coalesce(beside.colocationid, nextval('colocations')), 's');
  perform citus_stand_in.look_at(table_name);
  if not citus_stand_in.points_at_reference(table_name) then perform citus_stand_in.goes_parallel();
  elsif citus_stand_in.went_parallel() then
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

create function citus_stand_in.look_at_alteration(asked regclass, command text) returns void language plpgsql as $$
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
  if not citus_stand_in.points_at_reference(asked) then perform citus_stand_in.goes_parallel();
  elsif citus_stand_in.went_parallel() then
    raise 'cannot modify table "%" because there was a parallel operation on a distributed table in the transaction', asked;
  end if;
end $$;

create function citus_stand_in.look_at_index(asked regclass) returns void language plpgsql as $$
begin
  if exists (select from pg_index i join pg_dist_partition p on p.logicalrelid = i.indrelid and p.partmethod = 'h'
      join pg_attribute a on a.attrelid = i.indrelid and a.attname = p.partkey
      where i.indexrelid = asked and i.indisunique and a.attnum <> all (i.indkey)) then
    raise 'creating unique indexes on non-partition columns is currently unsupported';
  end if;
end $$;

create function citus_stand_in.look() returns event_trigger language plpgsql as $$
declare command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() where classid = 'pg_class'::regclass loop
    if command.command_tag = 'CREATE INDEX' then
      perform citus_stand_in.look_at_index(command.objid);
    elsif command.command_tag in ('CREATE TABLE', 'ALTER TABLE') and command.object_type = 'table' then
      perform citus_stand_in.look_at(command.objid);
      if command.command_tag = 'ALTER TABLE'
          and exists (select from pg_dist_partition where logicalrelid = command.objid and partmethod = 'h') then
        perform citus_stand_in.look_at_alteration(command.objid, current_query());
      end if;
    end if;
  end loop;
end $$;
create event trigger citus_stand_in on ddl_command_end execute function citus_stand_in.look();
`;

/** Makes the stand-in of {@link STAND_IN} in a test's database; connections that are opened from now on see it. */
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

/** Tables that the catalogue of the cluster knows, with how each is kept. */
export const PLACES = `
  select logicalrelid::text as name, partmethod::text as method, partkey as column, colocationid as place
  from citus_stand_in.pg_dist_partition order by 1`;

export interface Place {
  readonly name: string;
  readonly method: string;
  readonly column: string | null;
  readonly place: number;
}

/** Every foreign key there is, as it is written. */
export const FOREIGN_KEYS = `
  select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition, convalidated
  from pg_constraint where contype = 'f' order by 1`;
