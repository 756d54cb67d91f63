import type { CdnPurger, ImageProcessor, MediaFacts, PageRenderer } from '@back-office/media';
import { missingMethods, type AdapterKind } from '../adapters/index.js';

export const IMAGES: AdapterKind<ImageProcessor> = {
  variable: 'IMAGES',
  exportName: 'openImageProcessor',
  problemWith: (answer) =>
    missingMethods('image processor', answer, ['can', 'process', 'close'] satisfies (keyof ImageProcessor)[]),
};

export const PAGES: AdapterKind<PageRenderer> = {
  variable: 'PAGES',
  exportName: 'openPageRenderer',
  problemWith: (answer) => missingMethods('page renderer', answer, ['pages', 'close'] satisfies (keyof PageRenderer)[]),
};

export const FACTS: AdapterKind<MediaFacts> = {
  variable: 'FACTS',
  exportName: 'openMediaFacts',
  problemWith: (answer) => missingMethods('media facts', answer, ['sizeOf', 'close'] satisfies (keyof MediaFacts)[]),
};

export interface OpenedPurger extends CdnPurger {
  close?(): void | Promise<void>;
}

export const PURGER: AdapterKind<OpenedPurger> = {
  variable: 'PURGER',
  exportName: 'openCdnPurger',
  problemWith(answer) {
    const problem = missingMethods('purger', answer, ['purge'] satisfies (keyof CdnPurger)[]);
    if (problem !== undefined) return problem;
    return (answer as CdnPurger).isConfigured ? undefined : 'a purger whose isConfigured is not true';
  },
};
