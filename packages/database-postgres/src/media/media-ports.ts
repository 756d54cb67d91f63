import type { MediaPorts } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { PublicLibrary } from '@back-office/media';
import type { Postgres } from '../connection/postgres.js';
import { SqlFileVersions } from './files/sql-file-versions.js';
import { SqlMediaFileQueries } from './files/sql-media-file-queries.js';
import { SqlMediaFiles } from './files/sql-media-files.js';
import { SqlMediaObjects } from './files/sql-media-objects.js';
import { SqlMediaTrash } from './files/sql-media-trash.js';
import { SqlUploadReceipts } from './files/sql-upload-receipts.js';
import { SqlFileMoves } from './folders/sql-file-moves.js';
import { SqlMediaFolders } from './folders/sql-media-folders.js';
import { SqlProcessedFiles } from './processing/sql-processed-files.js';
import { SqlUploadPresets } from './processing/sql-upload-presets.js';
import { SqlFileUsageQueries } from './usages/sql-file-usage-queries.js';
import { SqlFileUsages } from './usages/sql-file-usages.js';

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
