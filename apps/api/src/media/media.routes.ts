import type { Route } from '../http/route.js';
import { folderRoutes } from './folders.routes.js';
import type { LibraryParts } from './library-parts.js';
import { fileRoutes } from './media-files.routes.js';
import { mediaListRoutes } from './media-lists.routes.js';
import { versionRoutes } from './media-versions.routes.js';
import { presetRoutes } from './presets.routes.js';
import { uploadRoutes } from './uploads.routes.js';
import { usageRoutes } from './usages.routes.js';

/** All calls of the media library; those with a word in a path go before those with an id in its place. */
export function mediaRoutes(parts: LibraryParts): Route[] {
  const { database, clock, library, intake, files, trash, places, versions, publication, purges, presets, images } =
    parts;
  const { base } = library;
  return [
    ...folderRoutes(parts.folders),
    ...mediaListRoutes(database, clock, base),
    ...usageRoutes(parts.usages, database),
    ...uploadRoutes(intake, files, publication),
    ...fileRoutes(files, trash, places),
    ...versionRoutes({ intake, versions, publication, purges, base }),
    ...presetRoutes(presets, images),
  ];
}
