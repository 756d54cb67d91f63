/** Version of the API, as its reference states it. */
export const API_VERSION = '2.0.0';

/** Version of the service, as the changelog lists it. A test compares it with `package.json`. */
export const SERVICE_VERSION = '0.2.0';
