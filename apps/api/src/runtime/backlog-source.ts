import type { BacklogFigures } from '@back-office/database';
import type { Container } from 'inversify';
import { TOKENS } from '../tokens.js';
import type { BacklogSource } from './metrics.js';

const CACHE_MS = 15_000;

/** Metrics need no token, so the figures are cached to protect the database from many requests. */
export function backlogSourceOf(container: Container): BacklogSource {
  let figures: Promise<BacklogFigures | undefined> | undefined;
  let readAtMs = -Infinity;
  return () => {
    if (figures !== undefined && performance.now() - readAtMs < CACHE_MS) return figures;
    readAtMs = performance.now();
    figures = container
      .get(TOKENS.Database)
      .backlog.figures(container.get(TOKENS.Clock).now())
      .catch(() => undefined);
    return figures;
  };
}
