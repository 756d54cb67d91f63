import type { CdnPurger, ImageProcessor, MediaFacts, PageRenderer } from '@back-office/media';
import { missingMethods, type AdapterKind } from '../adapters/index.js';

export const IMAGES_ADAPTER: AdapterKind<ImageProcessor> = {
  variable: 'IMAGES',
  exportName: 'openImageProcessor',
  problemWith: (adapter) =>
    missingMethods('image processor', adapter, ['can', 'process', 'close'] satisfies (keyof ImageProcessor)[]),
};

export const PAGES_ADAPTER: AdapterKind<PageRenderer> = {
  variable: 'PAGES',
  exportName: 'openPageRenderer',
  problemWith: (adapter) =>
    missingMethods('page renderer', adapter, ['pages', 'close'] satisfies (keyof PageRenderer)[]),
};

export const FACTS_ADAPTER: AdapterKind<MediaFacts> = {
  variable: 'FACTS',
  exportName: 'openMediaFacts',
  problemWith: (adapter) => missingMethods('media facts', adapter, ['sizeOf', 'close'] satisfies (keyof MediaFacts)[]),
};

export interface OpenedPurger extends CdnPurger {
  close?(): void | Promise<void>;
}

export const PURGER_ADAPTER: AdapterKind<OpenedPurger> = {
  variable: 'PURGER',
  exportName: 'openCdnPurger',
  problemWith(adapter) {
    const problem = missingMethods('purger', adapter, ['purge'] satisfies (keyof CdnPurger)[]);
    if (problem !== undefined) return problem;
    return (adapter as CdnPurger).isConfigured ? undefined : 'a purger whose isConfigured is not true';
  },
};
