import type { CdnPurger, ImageProcessor, MediaFacts, PageRenderer } from '@back-office/media';
import { lacking, type Side } from '../adapters/index.js';

export const IMAGES: Side<ImageProcessor> = {
  variable: 'IMAGES',
  open: 'openImageProcessor',
  wrongWith: (answer) =>
    lacking('image processor', answer, ['can', 'process', 'close'] satisfies (keyof ImageProcessor)[]),
};

export const PAGES: Side<PageRenderer> = {
  variable: 'PAGES',
  open: 'openPageRenderer',
  wrongWith: (answer) => lacking('page renderer', answer, ['pages', 'close'] satisfies (keyof PageRenderer)[]),
};

export const FACTS: Side<MediaFacts> = {
  variable: 'FACTS',
  open: 'openMediaFacts',
  wrongWith: (answer) => lacking('media facts', answer, ['sizeOf', 'close'] satisfies (keyof MediaFacts)[]),
};

/** What a module named by `PURGER` opens. */
export interface OpenedPurger extends CdnPurger {
  /** Called, and waited for, when the process ends. */
  close?(): void | Promise<void>;
}

export const PURGER: Side<OpenedPurger> = {
  variable: 'PURGER',
  open: 'openCdnPurger',
  wrongWith(answer) {
    const missing = lacking('purger', answer, ['purge'] satisfies (keyof CdnPurger)[]);
    if (missing !== undefined) return missing;
    return (answer as CdnPurger).isConfigured ? undefined : 'a purger whose isConfigured is not true';
  },
};
