import type { BulkOptions, Clock } from '@back-office/kernel';
import {
  planLocations,
  type DesiredLocation,
  type Location,
  type LocationDraft,
  type Locations,
  type LocationsApp,
  type PutResult,
} from '@back-office/locations';
import { fileKeyOfUrl } from '@back-office/media';
import type { State } from '../state.js';

const ENTITY_TYPE = 'app_location';

export class MemoryLocations implements Locations {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly libraryBase: () => string,
  ) {}

  async put(
    { id: appId, settings }: LocationsApp,
    rows: readonly (DesiredLocation | string)[],
    { explain = false, dryRun = false }: BulkOptions = {},
  ): Promise<PutResult> {
    const work = (): PutResult => {
      const plan = planLocations(rows, this.state.locations.all(appId));
      const drafts = new Set(plan.outcomes.filter((outcome) => typeof outcome !== 'string'));
      const writtenLocations = new Map([...drafts].map((draft) => [draft, this.write(appId, draft)]));
      for (const location of writtenLocations.values()) this.recordUsage(appId, location, settings.media.prefix);
      if (!dryRun) for (const [draft, { id }] of writtenLocations) draft.id = id;
      const locations = plan.outcomes.map((outcome) =>
        typeof outcome === 'string' ? outcome : { ...(writtenLocations.get(outcome) as Location), id: outcome.id },
      );
      return { locations, explain: explain ? plan.explain() : undefined };
    };
    return this.state.memory.transaction(work, { dryRun });
  }

  private write(appId: number, { id, ...fields }: LocationDraft): Location {
    const { locations } = this.state;
    const now = this.clock.now();
    const existingLocation = id === null ? undefined : locations.get(appId, id);
    if (existingLocation === undefined)
      return locations.insert(appId, { ...fields, inserted_at: now, updated_at: now });
    const changedLocation = {
      ...existingLocation,
      ...fields,
      inserted_at: existingLocation.inserted_at,
      updated_at: now,
    };
    locations.put(appId, changedLocation);
    return changedLocation;
  }

  private recordUsage(appId: number, { id, image_url: url }: Location, prefix: string): void {
    const { usages } = this.state;
    const entityId = String(id);
    const existingUsages = usages
      .all(appId)
      .filter((usage) => usage.entity_type === ENTITY_TYPE && usage.entity_id === entityId);
    for (const usage of existingUsages) if (usage.url !== url) usages.delete(appId, usage.id);
    const key = fileKeyOfUrl(url ?? '', this.libraryBase(), prefix);
    if (url === null || key === undefined || existingUsages.some((usage) => usage.url === url)) return;
    const entity = { entity_type: ENTITY_TYPE, entity_id: entityId, field: 'image_url', label: null };
    usages.insert(appId, { key, ...entity, url, inserted_at: this.clock.now() });
  }
}
