import type { MediaPorts } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { Route } from '../http/route.js';
import { fileListRoutes } from './files/file-lists.routes.js';
import { fileRoutes } from './files/files.routes.js';
import { uploadRoutes } from './files/uploads.routes.js';
import { folderRoutes } from './folders/folders.routes.js';
import type { LibraryParts } from './library-parts.js';
import { presetRoutes } from './presets/presets.routes.js';
import type { PublicObjectCache } from './serving/public-object-cache.js';
import { trashListRoutes } from './trash/trash-list.routes.js';
import { trashRoutes } from './trash/trash.routes.js';
import { usageRoutes } from './usages/usages.routes.js';
import { versionRoutes } from './versions/versions.routes.js';

/** Routes with fixed paths come first, because a path with an id would match them too. */
export function mediaRoutes(database: MediaPorts, parts: LibraryParts, clock: Clock): Route[] {
  const { library, intake, publication, cachePurge, images, publicObjects } = parts;
  const { mediaFiles: files, mediaFileQueries: queries, fileMoves: moves } = database;
  const { fileVersions: versions, fileVersionQueries } = database;
  const { base } = library;
  const routes = [
    ...folderRoutes(database.mediaFolders, database.mediaFolderQueries),
    ...fileListRoutes(queries, clock),
    ...trashListRoutes(queries),
    ...usageRoutes(database.fileUsages, database.fileUsageQueries),
    ...uploadRoutes(intake, files, publication),
    ...fileRoutes({ files, queries, moves }),
    ...trashRoutes(database.mediaTrash, moves, queries),
    ...versionRoutes({ intake, versions, queries: fileVersionQueries, publication, cachePurge, base }),
    ...presetRoutes(database.uploadPresets, database.uploadPresetQueries, images),
  ];
  return routes.map((route) => (route.method === 'get' ? route : forgetMissesAfter(route, publicObjects)));
}

function forgetMissesAfter(route: Route, publicObjects: PublicObjectCache): Route {
  return { ...route, handle: (call) => route.handle(call).finally(() => publicObjects.forgetMisses()) };
}
