import type { Clock } from '@back-office/kernel';
import {
  type EntityUsages,
  type FileUsages,
  type MediaApp,
  type PublicLibrary,
  type Usage,
  fileKeyOfUrl,
} from '@back-office/media';
import type { State } from '../state.js';

export class MemoryFileUsages implements FileUsages {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  async replace({ id: appId, prefix }: MediaApp, { label = null, fields, ...entity }: EntityUsages): Promise<Usage[]> {
    const { entity_type, entity_id } = entity;
    const newUsages = fields.flatMap(({ field, url }) => {
      const key = fileKeyOfUrl(url, this.library.base, prefix);
      return key === undefined ? [] : [{ key, field, url }];
    });
    return this.state.memory.transaction(() => {
      const { usages } = this.state;
      const now = this.clock.now();
      for (const usage of usages.all(appId)) {
        if (usage.entity_type === entity_type && usage.entity_id === entity_id) usages.delete(appId, usage.id);
      }
      for (const usage of newUsages)
        usages.insert(appId, { ...usage, entity_type, entity_id, label, inserted_at: now });
      const sharedFields = { entity_type, entity_id, label, total_count: newUsages.length };
      return newUsages.map(({ field, url }) => ({ ...sharedFields, field, url }));
    });
  }
}
