export const BASE_PATH = '/api/v2';

/** Route name of public files in the log and in metrics. */
export const MEDIA_ROUTE = '/media/*';
