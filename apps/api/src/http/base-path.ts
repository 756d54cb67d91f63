export const BASE_PATH = '/api/v2';

/** The route of public files, as the log and metrics name it. */
export const MEDIA_ROUTE = '/media/*';
