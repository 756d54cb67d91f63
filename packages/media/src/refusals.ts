import { refuse } from '@back-office/kernel';

export const FILE_NOT_FOUND = refuse('API.CdnFiles.FileNotFound');
export const FILE_IN_TRASH = refuse('API.CdnFiles.FileInTrash');
export const FILE_NOT_IN_TRASH = refuse('API.CdnFiles.FileNotInTrash');
export const FILE_REFERENCED = refuse('API.CdnFiles.FileReferenced');
export const FILE_NAME_TAKEN = refuse('API.CdnFiles.KeyAlreadyExists');
export const NO_VERSION_TO_REVERT = refuse('API.CdnFiles.NoVersionToRevert');
export const VERSION_NOT_FOUND = refuse('API.CdnFiles.VersionNotFound');
export const UNSUPPORTED_TYPE = refuse('API.CdnFiles.UnsupportedType');
export const IMAGE_TOO_LARGE = refuse('API.CdnFiles.ImageTooLarge');
export const FOLDER_NOT_FOUND = refuse('API.CdnFolders.FolderNotFound');
export const FOLDER_TAKEN = refuse('API.CdnFolders.KeyAlreadyExists');
export const PARENT_NOT_FOUND = refuse('API.CdnFolders.ParentNotFound');
export const INVALID_PARENT = refuse('API.CdnFolders.InvalidParent');
