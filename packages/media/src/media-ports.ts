import type { FileMoves } from './file-moves.js';
import type { FileUsageQueries, FileUsages } from './file-usages.js';
import type { FileVersionQueries, FileVersions } from './file-versions.js';
import type { MediaFileQueries, MediaFiles } from './media-files.js';
import type { MediaFolderQueries, MediaFolders } from './media-folders.js';
import type { MediaObjectQueries } from './media-objects.js';
import type { MediaTrash } from './media-trash.js';
import type { ProcessedFileQueries, ProcessedFiles } from './processed-files.js';
import type { UploadPresetQueries, UploadPresets } from './upload-presets.js';
import type { UploadReceipts } from './upload-receipts.js';

export interface MediaPorts {
  readonly mediaFiles: MediaFiles;
  readonly mediaFileQueries: MediaFileQueries;
  readonly mediaFolders: MediaFolders;
  readonly mediaFolderQueries: MediaFolderQueries;
  readonly mediaTrash: MediaTrash;
  readonly mediaObjectQueries: MediaObjectQueries;
  readonly fileMoves: FileMoves;
  readonly fileUsages: FileUsages;
  readonly fileUsageQueries: FileUsageQueries;
  readonly fileVersions: FileVersions;
  readonly fileVersionQueries: FileVersionQueries;
  readonly processedFiles: ProcessedFiles;
  readonly processedFileQueries: ProcessedFileQueries;
  readonly uploadPresets: UploadPresets;
  readonly uploadPresetQueries: UploadPresetQueries;
  readonly uploadReceipts: UploadReceipts;
}
