import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smaller answers fit into one network packet anyway, so they are not compressed. */
const MIN_BYTES = 1_024;

/** Compresses JSON and text in the thread pool, for clients that accept a compressed body. */
export function compress(): RequestHandler {
  const compressBody = compression({
    threshold: MIN_BYTES,
    // Higher levels save a few percent of the bytes but cost several times as much CPU.
    level: 4,
    brotli: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        // The default window would use 4 MB of memory per response in progress.
        [constants.BROTLI_PARAM_LGWIN]: 17,
      },
    },
  });
  return (request, response, next) => {
    if (request.headers['accept-encoding'] !== undefined) {
      compressBody(request, response, next);
      return;
    }
    // Without this branch, the library would replace methods of the response, which takes a twentieth of a small read.
    response.vary('Accept-Encoding');
    next();
  };
}
