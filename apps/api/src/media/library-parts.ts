import type { Clock } from '@back-office/kernel';
import type { MediaPorts } from '@back-office/database';
import { CachePurge } from './serving/cache-purge.js';
import { ContentIntake } from './files/content-intake.js';
import { FileProcessing } from './processing/file-processing.js';
import type { LibraryTools } from './library.js';
import { MediaTasks } from './processing/media-tasks.js';
import { Publication } from './serving/publication.js';
import { PublicCopies } from './serving/public-copies.js';
import { PublicObjectCache } from './serving/public-object-cache.js';
import { StoreSweep } from './processing/store-sweep.js';

export type LibraryParts = ReturnType<typeof createLibraryParts>;

export function createLibraryParts(database: MediaPorts, clock: Clock, tools: LibraryTools) {
  const { library, images, parser, purger, pixelLimit } = tools;
  const { mediaFiles: files, mediaObjectQueries: objects, uploadReceipts: receipts } = database;
  const { processedFiles, processedFileQueries } = database;
  const copies = new PublicCopies(library, objects);
  const processing = new FileProcessing(library, tools, processedFiles, processedFileQueries, copies);
  const cachePurge = new CachePurge(purger, library.base, processedFileQueries, copies);
  const sweep = new StoreSweep(library, objects, processedFiles, copies, clock);
  const publicObjects = new PublicObjectCache(objects, clock);
  return {
    library,
    publicObjects,
    images,
    cachePurge,
    copies,
    publication: new Publication(library, copies, processedFiles),
    intake: new ContentIntake(library, parser, receipts, pixelLimit),
    sweep,
    tasks: new MediaTasks(library, processing, objects, copies, cachePurge, { sweep, files, publicObjects }),
  };
}
