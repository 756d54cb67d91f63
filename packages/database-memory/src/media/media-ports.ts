import type { MediaPorts } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import type { PublicLibrary } from '@back-office/media';
import type { State } from '../state.js';
import { MemoryFileMoves } from './memory-file-moves.js';
import { MemoryFileUsages } from './memory-file-usages.js';
import { MemoryFileVersions } from './memory-file-versions.js';
import { MemoryMediaFileList } from './memory-media-file-list.js';
import { MemoryMediaFiles } from './memory-media-files.js';
import { MemoryMediaFolders } from './memory-media-folders.js';
import { MemoryMediaObjects } from './memory-media-objects.js';
import { MemoryMediaTrash } from './memory-media-trash.js';
import { MemoryProcessedFiles } from './memory-processed-files.js';
import { MemoryUploadPresets } from './memory-upload-presets.js';
import { MemoryUploadReceipts } from './memory-upload-receipts.js';
import { MemoryUsageList } from './memory-usage-list.js';

export function mediaPortsOf(state: State, clock: Clock, library: PublicLibrary): MediaPorts {
  const folders = new MemoryMediaFolders(state, clock);
  const presets = new MemoryUploadPresets(state, clock);
  const versions = new MemoryFileVersions(state, clock, library);
  const processedFiles = new MemoryProcessedFiles(state, clock, library);
  return {
    mediaFiles: new MemoryMediaFiles(state, clock, library),
    mediaFileQueries: new MemoryMediaFileList(state, library),
    mediaFolders: folders,
    mediaFolderQueries: folders,
    mediaTrash: new MemoryMediaTrash(state, clock),
    mediaObjectQueries: new MemoryMediaObjects(state),
    fileMoves: new MemoryFileMoves(state, clock),
    fileUsages: new MemoryFileUsages(state, clock, library),
    fileUsageQueries: new MemoryUsageList(state),
    fileVersions: versions,
    fileVersionQueries: versions,
    processedFiles,
    processedFileQueries: processedFiles,
    uploadPresets: presets,
    uploadPresetQueries: presets,
    uploadReceipts: new MemoryUploadReceipts(state, clock),
  };
}
