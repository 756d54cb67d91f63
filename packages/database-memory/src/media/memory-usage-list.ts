import type { Page } from '@back-office/kernel';
import type { FileUsageQueries } from '@back-office/media';
import { pageOf, sortBy } from '../lists.js';
import { containsFolded } from '../people-search.js';
import type { State } from '../state.js';
import { fileOf, filesOf } from './files.js';
import type { Usage } from './usage.js';

export class MemoryUsageList implements FileUsageQueries {
  constructor(private readonly state: State) {}

  async usagesOfFile(appId: number, fileId: number, page: Page): Promise<string> {
    const file = fileOf(this.state, appId, fileId);
    const usages = this.state.usages.all(appId).filter(({ key }) => key === file?.key);
    return this.json(appId, usages, page);
  }

  async brokenUsages(appId: number, search: string | undefined, page: Page): Promise<string> {
    const keys = new Set(filesOf(this.state, appId).map(({ key }) => key));
    const brokenUsages = this.state.usages
      .all(appId)
      .filter(({ key }) => !keys.has(key))
      .filter((usage) => !search || this.matchesSearch(appId, usage, search));
    return this.json(appId, sortBy(brokenUsages, [({ key }) => key, ({ id }) => id]), page);
  }

  private json(appId: number, usages: readonly Usage[], page: Page): string {
    const presentedUsages = pageOf(usages, page).map((usage) => {
      const { entity_type, entity_id, field, url } = usage;
      const label = this.labelOf(appId, usage);
      return { entity_type, entity_id, field, label, url, total_count: usages.length };
    });
    return JSON.stringify(presentedUsages);
  }

  private matchesSearch(appId: number, usage: Usage, query: string): boolean {
    const texts = [this.labelOf(appId, usage), usage.url, usage.entity_type, usage.entity_id, usage.key];
    return texts.some((text) => text !== null && containsFolded(text, query));
  }

  private labelOf(appId: number, { entity_type: type, entity_id: id, label }: Usage): string | null {
    if (type === 'product') return this.productName(appId, Number(id));
    if (type === 'product_variant') return this.variantName(appId, Number(id));
    if (type === 'app_location') return this.state.locations.get(appId, Number(id))?.name ?? null;
    return label;
  }

  private productName(appId: number, id: number): string | null {
    return this.state.products.get(appId, id)?.name ?? null;
  }

  private variantName(appId: number, id: number): string | null {
    const variant = this.state.variants.get(appId, id);
    if (variant === undefined) return null;
    const { name, product_id: productId } = variant;
    return name === null || name === '' ? this.productName(appId, productId) : name;
  }
}
