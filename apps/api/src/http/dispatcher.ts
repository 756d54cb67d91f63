import express, { type RequestHandler, type Router } from 'express';
import { BASE_PATH } from './base-path.js';
import type { Route } from './route.js';

/** Selects a router by the first path segment, because Express would compare every call with all routes. */
export function createDispatcher(
  routes: readonly Route[],
  mount: (router: Router, route: Route) => void,
): RequestHandler {
  const routers = new Map<string, Router>();
  for (const route of routes) {
    const segment = firstSegmentOf(BASE_PATH + route.path);
    const router = routers.get(segment) ?? express.Router({ caseSensitive: true, strict: true });
    routers.set(segment, router);
    mount(router, route);
  }
  return (request, response, next) => {
    // An Express router would answer OPTIONS by itself, so these requests bypass it.
    const router = request.method === 'OPTIONS' ? undefined : routers.get(firstSegmentOf(request.path));
    return router ? router(request, response, next) : next();
  };
}

function firstSegmentOf(path: string): string {
  const start = BASE_PATH.length + 1;
  const end = path.indexOf('/', start);
  return path.slice(start, end === -1 ? undefined : end);
}
