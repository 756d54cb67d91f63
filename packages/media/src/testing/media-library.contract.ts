import type { Runner } from '@back-office/kernel/testing';
import { fileMovesContract } from './file-moves.contract.js';
import { fileUsagesContract } from './file-usages.contract.js';
import { fileVersionsContract } from './file-versions.contract.js';
import { jobQueueContract } from './job-queue.contract.js';
import { mediaFileQueriesContract } from './media-file-queries.contract.js';
import { mediaFilesContract } from './media-files.contract.js';
import { mediaFoldersContract } from './media-folders.contract.js';
import { mediaObjectsContract } from './media-objects.contract.js';
import { mediaTrashContract } from './media-trash.contract.js';
import { processedFilesContract } from './processed-files.contract.js';
import { uploadPresetsContract } from './upload-presets.contract.js';
import { uploadReceiptsContract } from './upload-receipts.contract.js';
import type { MediaLibraryFixture } from './media-library.js';

/**
 * Tests for every adapter of the media library’s ports. The database may hold other data, because every test has its
 * own app. Example: `mediaLibraryContracts(runnerOf(globalThis), open)` in a test file.
 */
export function mediaLibraryContracts(runner: Runner, open: () => Promise<MediaLibraryFixture>): void {
  const { describe } = runner;
  describe('FileMoves', () => fileMovesContract(runner, open));
  describe('FileUsages', () => fileUsagesContract(runner, open));
  describe('FileVersions', () => fileVersionsContract(runner, open));
  describe('JobQueue', () => jobQueueContract(runner, open));
  describe('MediaFileQueries', () => mediaFileQueriesContract(runner, open));
  describe('MediaFiles', () => mediaFilesContract(runner, open));
  describe('MediaFolders', () => mediaFoldersContract(runner, open));
  describe('MediaObjectQueries', () => mediaObjectsContract(runner, open));
  describe('MediaTrash', () => mediaTrashContract(runner, open));
  describe('ProcessedFiles', () => processedFilesContract(runner, open));
  describe('UploadPresets', () => uploadPresetsContract(runner, open));
  describe('UploadReceipts', () => uploadReceiptsContract(runner, open));
}
