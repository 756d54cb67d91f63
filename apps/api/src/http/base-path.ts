export const BASE_PATH = '/api/v2';
