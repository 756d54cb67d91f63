import { withStoredForms, type BulkOptions, type Clock } from '@back-office/kernel';
import { fileKeyOfUrl } from '@back-office/media';
import type { Postgres } from '../connection/postgres.js';
import { LOCATIONS } from '../tables/locations.js';
import { RECORD_USAGES } from '../media/usages/record-usages.js';
import { rowsByDraft, beginLockedBulk } from '../connection/bulk.js';
import type { Transaction } from '../connection/transaction.js';
import {
  type Location,
  type LocationDraft,
  type Locations,
  type LocationsApp,
  type DesiredLocation,
  planLocations,
  type PutResult,
} from '@back-office/locations';

const LOCATION_COLUMNS = LOCATIONS.columns.except('app_id');
const WRITTEN_COLUMNS = LOCATION_COLUMNS.except('id', 'inserted_at', 'updated_at');
const LOCATION_ROW = `(ordinal int, id bigint, ${WRITTEN_COLUMNS.typedList}, key text)`;

const FIND_LOCATIONS = `
  select ${LOCATION_COLUMNS.list} from app_locations
  where app_id = $1 and (code = any($2::text[]) or external_ref = any($3::text[]))`;

// Rows may swap codes and references, because PostgreSQL checks their uniqueness at the end of the statement. Updates
// come first, because a cluster runs the parts in turn, and a new row may take the code of an updated one.
const WRITE_LOCATIONS = `
  with row as (select * from json_to_recordset($2) as row ${LOCATION_ROW}),
  updated as (
    update app_locations l
    set ${WRITTEN_COLUMNS.setFrom('row')}, updated_at = $3
    from row where l.app_id = $1 and l.id = row.id
    returning ${LOCATION_COLUMNS.of('l')}
  ), inserted as (
    insert into app_locations (app_id, ${WRITTEN_COLUMNS.list}, inserted_at, updated_at)
    select $1, ${WRITTEN_COLUMNS.list}, $3, $3 from row where id is null order by ordinal
    returning ${LOCATION_COLUMNS.list}
  ), written as (
    select * from inserted union all select * from updated
  ), removed as (
    delete from cdn_usages u using written w
    where u.app_id = $1 and u.entity_type = 'app_location' and u.entity_id = w.id::text
      and u.url is distinct from w.image_url
  ), added as (
    ${RECORD_USAGES}
    select $1, i.key, 'app_location', w.id::text, 'image_url', null, i.image_url, $3
    from written w join (select distinct image_url, key from row where key is not null) i on i.image_url = w.image_url
    where (w.id::text, w.image_url) not in (
      select u.entity_id, u.url from cdn_usages u
      where u.app_id = $1 and u.entity_type = 'app_location' and u.url is not null
    )
    order by w.id
  )
  select * from written order by id`;

type LocationRows = readonly (DesiredLocation | string)[];

export class SqlLocations implements Locations {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly libraryBase: () => string,
  ) {}

  put(
    { id: appId, settings }: LocationsApp,
    rows: LocationRows,
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<PutResult> {
    const libraryKeyOf = (url: string | null) => fileKeyOfUrl(url ?? '', this.libraryBase(), settings.media.prefix);
    const work = async (transaction: Transaction): Promise<PutResult> => {
      await beginLockedBulk(transaction, 'locations', appId, rows.length);
      const plan = planLocations(rows, await findNamedLocations(transaction, appId, rows));
      const rowOf = await writeLocations(transaction, appId, plan.outcomes, this.clock.now(), libraryKeyOf);
      if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
      const locations = plan.outcomes.map((outcome) =>
        typeof outcome === 'string' ? outcome : { ...(rowOf.get(outcome) as Location), id: outcome.id },
      );
      return { locations, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

function findNamedLocations(transaction: Transaction, appId: number, rows: LocationRows): Promise<Location[]> {
  const validRows = rows.filter((row) => typeof row !== 'string');
  const values = (field: 'code' | 'external_ref') => [...new Set(validRows.flatMap((row) => row[field] ?? []))];
  return transaction.rows<Location>(FIND_LOCATIONS, [appId, values('code'), withStoredForms(values('external_ref'))]);
}

async function writeLocations(
  transaction: Transaction,
  appId: number,
  outcomes: readonly (LocationDraft | string)[],
  now: Date,
  libraryKeyOf: (url: string | null) => string | undefined,
): Promise<Map<LocationDraft, Location>> {
  const drafts = [...new Set(outcomes.filter((outcome) => typeof outcome !== 'string'))];
  const rows = JSON.stringify(
    drafts.map((draft, ordinal) => ({ ...draft, ordinal, key: libraryKeyOf(draft.image_url) })),
  );
  return rowsByDraft(drafts, await transaction.runLast<Location>(WRITE_LOCATIONS, [appId, rows, now]));
}
