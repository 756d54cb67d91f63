/** API version, shown in the API reference. */
export const API_VERSION = '2.0.0';

/** Version in the changelog. A test compares it with `package.json`. */
export const SERVICE_VERSION = '0.2.0';
