export const BASE_PATH = '/api/v2';

/** The route of public files in the log and in metrics. */
export const MEDIA_ROUTE = '/media/*';
