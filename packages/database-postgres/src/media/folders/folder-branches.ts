import { nameKey } from '../../lists/sort-keys.js';
import { fileEventsSql } from '../../connection/event-statements.js';

const isInBranchSql = (path: string): string => `(${path} = $2 or ${path} like $3 or $2 = '')`;

// Counts files in one pass, because look-ups per folder are slow without statistics.
export const BRANCH_WITH_FILES = `
  select max(id) as id, path, max(name) as name, max(description) as description, sum(files)::int as files from (
    select id, path, name, description, 0 as files from cdn_folders where app_id = $1 and ${isInBranchSql('path')}
    union all
    select null, folder, null, null, count(*) from cdn_files
    where app_id = $1 and state = 'active' and not hidden and ${isInBranchSql('folder')} group by folder
  ) as counted
  group by path having max(id) is not null order by ${nameKey('max(name)').sql}, id`;

// Includes files in Trash, because they move with their folder even if the folder was removed.
export const MAX_BYTES_BELOW = `
  select coalesce(max(bytes), 0) as bytes from (
    select max(octet_length(path)) as bytes from cdn_folders where app_id = $1 and path like $2
    union all
    select max(octet_length(folder)) from cdn_files where app_id = $1 and folder like $2
  ) as longest`;

export const MOVE_BRANCH = `
  with moved as (
    update cdn_folders set path = $3 || substr(path, length($2) + 1), updated_at = $4,
      parent = case when path = $2 then $5 else $3 || substr(parent, length($2) + 1) end
    where app_id = $1 and (path = $2 or path like $6)
  ), moved_file as (
    update cdn_files set folder = $3 || substr(folder, length($2) + 1)
    where app_id = $1 and (folder = $2 or folder like $6)
    returning id, state
  ), active as (
    select id from moved_file where state = 'active'
  ), ${fileEventsSql('file.moved', 'active', '$4')}
  select 1`;
