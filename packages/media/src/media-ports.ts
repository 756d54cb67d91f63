import type { FileVersionQueries, FileVersions } from './files/file-versions.js';
import type { MediaFileQueries, MediaFiles } from './files/media-files.js';
import type { MediaObjectQueries } from './files/media-objects.js';
import type { MediaTrash } from './files/media-trash.js';
import type { UploadReceipts } from './files/upload-receipts.js';
import type { FileMoves } from './folders/file-moves.js';
import type { MediaFolderQueries, MediaFolders } from './folders/media-folders.js';
import type { ProcessedFileQueries, ProcessedFiles } from './processing/processed-files.js';
import type { UploadPresetQueries, UploadPresets } from './processing/upload-presets.js';
import type { FileUsageQueries, FileUsages } from './usages/file-usages.js';

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
