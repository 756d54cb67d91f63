import type { Clock } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { usedKey } from '@back-office/media';
import { rowsByDraft, waitForBulkTurn, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import type { AppContext } from '../http/app-context.js';
import { RECORD_USAGES } from '../media/index.js';
import { planLocations, type LocationDraft, type LocationWish } from './location-rows.js';
import type { LocationRow, WrittenLocation } from './location.js';

const FIELDS = 'code, external_ref, name, latitude, longitude, address_line_1, city, postcode, image_url';
const COLUMNS = `id, ${FIELDS}, inserted_at, updated_at`;
const ROW = `
  (place int, id bigint, code text, external_ref text, name text, latitude float8, longitude float8,
    address_line_1 text, city text, postcode text, image_url text, key text)`;

// Whoever else writes locations awaits the same turn, so what is found stays as it is.
const FIND = `
  select ${COLUMNS} from app_locations
  where app_id = $1 and (code = any($2::text[]) or external_ref = any($3::text[]))`;

/** The uniqueness of codes and references is checked when all of it is done: rows may pass them on to one another. */
const WRITE = `
  with row as (select * from json_to_recordset($2) as row ${ROW}),
  inserted as (
    insert into app_locations (app_id, ${FIELDS}, inserted_at, updated_at)
    select $1, ${FIELDS}, $3, $3 from row where id is null order by place
    returning ${COLUMNS}
  ), updated as (
    update app_locations l
    set code = row.code, external_ref = row.external_ref, name = row.name, latitude = row.latitude,
      longitude = row.longitude, address_line_1 = row.address_line_1, city = row.city, postcode = row.postcode,
      image_url = row.image_url, updated_at = $3
    from row where l.app_id = $1 and l.id = row.id
    returning ${COLUMNS.replaceAll(/\w+/g, 'l.$&')}
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
    where not exists (
      select from cdn_usages u
      where u.app_id = $1 and u.entity_type = 'app_location' and u.entity_id = w.id::text and u.url = w.image_url
    )
    order by w.id
  )
  select * from written order by id`;

type Rows = readonly (LocationWish | string)[];

export interface PutLocations {
  /** In input order; new ones of a dry run have no ids. */
  readonly locations: readonly (WrittenLocation | string)[];
  readonly explain: Explanations | undefined;
}

export class TypeOrmLocations {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly libraryBase: string,
  ) {}

  /**
   * Upserts what can be written and answers, in input order, each location or the key of why its row was not. A later
   * row about the same location wins.
   */
  put(
    { id: appId, settings }: Pick<AppContext, 'id' | 'settings'>,
    rows: Rows,
    { explain, dryRun = false }: BulkOptions = {},
  ): Promise<PutLocations> {
    const keyOf = (url: string | null) => usedKey(url ?? '', this.libraryBase, settings.media.prefix);
    const work = async (transaction: Transaction): Promise<PutLocations> => {
      await waitForBulkTurn(transaction, 'locations', appId, rows.length);
      const plan = planLocations(rows, await find(transaction, appId, rows));
      const rowOf = await write(transaction, appId, plan.outcomes, this.clock.now(), keyOf);
      if (!dryRun) for (const [draft, { id }] of rowOf) draft.id = id;
      const locations = plan.outcomes.map((outcome) =>
        typeof outcome === 'string' ? outcome : { ...(rowOf.get(outcome) as LocationRow), id: outcome.id },
      );
      return { locations, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }
}

function find(transaction: Transaction, appId: number, rows: Rows): Promise<LocationRow[]> {
  const wishes = rows.filter((row) => typeof row !== 'string');
  const values = (field: 'code' | 'external_ref') => [...new Set(wishes.flatMap((wish) => wish[field] ?? []))];
  return transaction.rows<LocationRow>(FIND, [appId, values('code'), values('external_ref')]);
}

async function write(
  transaction: Transaction,
  appId: number,
  outcomes: readonly (LocationDraft | string)[],
  now: Date,
  keyOf: (url: string | null) => string | undefined,
): Promise<Map<LocationDraft, LocationRow>> {
  const drafts = [...new Set(outcomes.filter((outcome) => typeof outcome !== 'string'))];
  const sent = JSON.stringify(drafts.map((draft, place) => ({ ...draft, place, key: keyOf(draft.image_url) })));
  return rowsByDraft(drafts, await transaction.last<LocationRow>(WRITE, [appId, sent, now]));
}
