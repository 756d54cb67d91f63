import express, { type RequestHandler, type Router } from 'express';
import { BASE_PATH } from './base-path.js';
import type { Route } from './route.js';

/** Asks the routes of a path's first segment alone, since each route that is asked costs every call its time. */
export function dispatcher(routes: readonly Route[], mountOn: (router: Router, route: Route) => void): RequestHandler {
  const routers = new Map<string, Router>();
  for (const route of routes) {
    const segment = segmentOf(BASE_PATH + route.path);
    const router = routers.get(segment) ?? express.Router({ caseSensitive: true, strict: true });
    routers.set(segment, router);
    mountOn(router, route);
  }
  return (request, response, next) => {
    // A router would answer OPTIONS by itself.
    const router = request.method === 'OPTIONS' ? undefined : routers.get(segmentOf(request.path));
    return router ? router(request, response, next) : next();
  };
}

/** The first segment behind the base path. */
function segmentOf(path: string): string {
  const start = BASE_PATH.length + 1;
  const end = path.indexOf('/', start);
  return path.slice(start, end === -1 ? undefined : end);
}
