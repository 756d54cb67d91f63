import type { MediaPorts } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { PublicLibrary } from '@back-office/media';
import type { Postgres } from '../connection/postgres.js';
import { SqlMediaFileQueries } from './sql-media-file-queries.js';
import { SqlFileMoves } from './sql-file-moves.js';
import { SqlFileUsages } from './sql-file-usages.js';
import { SqlFileVersions } from './sql-file-versions.js';
import { SqlMediaFiles } from './sql-media-files.js';
import { SqlMediaFolders } from './sql-media-folders.js';
import { SqlMediaObjects } from './sql-media-objects.js';
import { SqlMediaTrash } from './sql-media-trash.js';
import { SqlProcessedFiles } from './sql-processed-files.js';
import { SqlUploadPresets } from './sql-upload-presets.js';
import { SqlUploadReceipts } from './sql-upload-receipts.js';
import { SqlFileUsageQueries } from './sql-file-usage-queries.js';

export function mediaPortsOf(postgres: Postgres, clock: Clock, library: PublicLibrary): MediaPorts {
  const [folders, presets] = [new SqlMediaFolders(postgres, clock), new SqlUploadPresets(postgres, clock)];
  const versions = new SqlFileVersions(postgres, clock, library);
  const processedFiles = new SqlProcessedFiles(postgres, clock, library);
  return {
    mediaFiles: new SqlMediaFiles(postgres, clock, library),
    mediaFileQueries: new SqlMediaFileQueries(postgres, library),
    mediaFolders: folders,
    mediaFolderQueries: folders,
    mediaTrash: new SqlMediaTrash(postgres, clock),
    mediaObjectQueries: new SqlMediaObjects(postgres),
    fileMoves: new SqlFileMoves(postgres, clock),
    fileUsages: new SqlFileUsages(postgres, clock, library),
    fileUsageQueries: new SqlFileUsageQueries(postgres),
    fileVersions: versions,
    fileVersionQueries: versions,
    processedFiles,
    processedFileQueries: processedFiles,
    uploadPresets: presets,
    uploadPresetQueries: presets,
    uploadReceipts: new SqlUploadReceipts(postgres, clock),
  };
}
