import type { Clock } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { CachePurge } from './cache-purge.js';
import { ContentIntake } from './content-intake.js';
import { FileProcessing } from './file-processing.js';
import type { LibraryTools } from './library.js';
import { MediaTasks } from './media-worker.js';
import { Publication } from './publication.js';
import { PublicCopies } from './public-copies.js';
import { StoreSweep } from './store-sweep.js';
import { TypeOrmMediaFiles } from './typeorm-media-files.js';
import { TypeOrmMediaFolders } from './typeorm-media-folders.js';
import { TypeOrmMediaObjects } from './typeorm-media-objects.js';
import { TypeOrmMediaPlaces } from './typeorm-media-places.js';
import { TypeOrmMediaPresets } from './typeorm-media-presets.js';
import { TypeOrmMediaReceipts } from './typeorm-media-receipts.js';
import { TypeOrmMediaTrash } from './typeorm-media-trash.js';
import { TypeOrmMediaUsages } from './typeorm-media-usages.js';
import { TypeOrmMediaVersions } from './typeorm-media-versions.js';
import { TypeOrmProcessedFiles } from './typeorm-processed-files.js';

export type LibraryParts = ReturnType<typeof libraryParts>;

/** The parts of the media library, each made once. */
export function libraryParts(database: Database, clock: Clock, tools: LibraryTools) {
  const { library, images, purger, pixelLimit } = tools;
  const objects = new TypeOrmMediaObjects(database);
  const receipts = new TypeOrmMediaReceipts(database, clock);
  const copies = new PublicCopies(library, objects);
  const processed = new TypeOrmProcessedFiles(database, library.base);
  const processing = new FileProcessing(library, tools, processed, copies);
  const purges = new CachePurge(purger, library.base, processed, copies);
  const sweep = new StoreSweep(library, objects, processed, copies, clock);
  const files = new TypeOrmMediaFiles(database, clock, library);
  return {
    database,
    clock,
    library,
    images,
    purges,
    objects,
    receipts,
    copies,
    publication: new Publication(library, copies, processed),
    intake: new ContentIntake(library, receipts, pixelLimit),
    files,
    folders: new TypeOrmMediaFolders(database, clock),
    places: new TypeOrmMediaPlaces(database, clock),
    presets: new TypeOrmMediaPresets(database, clock),
    sweep,
    tasks: new MediaTasks(library, processing, objects, copies, purges, { sweep, files }),
    trash: new TypeOrmMediaTrash(database, clock),
    usages: new TypeOrmMediaUsages(database, clock, library.base),
    versions: new TypeOrmMediaVersions(database, clock, library),
  };
}
