import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smaller answers fit into one packet. */
const MIN_BYTES = 1_024;

/** Compresses JSON and text for clients that ask for it, in threads of the pool. */
export function compress(): RequestHandler {
  return compression({
    threshold: MIN_BYTES,
    // Higher levels cost several times as much CPU for a few percent.
    level: 4,
    brotli: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        // The default window takes 4 MB for each response in progress.
        [constants.BROTLI_PARAM_LGWIN]: 17,
      },
    },
  });
}
