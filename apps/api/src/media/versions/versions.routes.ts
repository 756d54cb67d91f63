import { CANT_BE_BLANK, IS_INVALID, isRefusal, MALFORMED, refuse } from '@back-office/kernel';
import {
  type ChangedFile,
  type ChangeTerms,
  type FileVersionQueries,
  type FileVersions,
  publicUrl,
  VERSION_NOT_FOUND,
} from '@back-office/media';
import { answerWith, ok, okJson, type HandlerResult } from '../../http/answer.js';
import type { AppContext } from '@back-office/apps';
import { IsInt, IsOptional, Max, MAX_INTEGER, Min, ValidatedBy, ValidatedByDomain } from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { listOf, oneOf, record, text, boolean } from '../../http/shapes.js';
import { Type } from '@sinclair/typebox';
import type { CachePurge } from '../serving/cache-purge.js';
import type { ContentIntake } from '../files/content-intake.js';
import { DoneShape, FILE_GUARD, FileShape, VersionShape } from '../files/file-shapes.js';
import type { Publication } from '../serving/publication.js';
import { FILE_REQUIRED } from '../files/uploads.routes.js';

const STRATEGIES = ['version', 'purge', 'ttl'] as const;
type Strategy = (typeof STRATEGIES)[number];
const [MIN_WIDTH, MAX_WIDTH, MAX_RENDITIONS] = [16, 4_096, 10];

/** Accepts any value, because the route refuses an unknown strategy with its own message key. */
function CacheStrategy(): PropertyDecorator {
  return ValidatedByDomain({ type: 'string', enum: [...STRATEGIES] });
}

class ReplaceCdnFile {
  @CacheStrategy() cache_strategy?: unknown;
}

class RevertCdnFile {
  @CacheStrategy() cache_strategy?: unknown;
  @IsOptional() @IsInt() @Min(1) @Max(MAX_INTEGER) version?: number | null;
}

class RegenerateRenditions {
  @IsOptional()
  @ValidatedBy(validateWidths, { type: 'array', items: { type: 'integer', minimum: MIN_WIDTH, maximum: MAX_WIDTH } })
  renditions?: number[] | null;
}

function validateWidths(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every((width) => Number.isSafeInteger(width))) return MALFORMED;
  if (value.length === 0) return CANT_BE_BLANK;
  const isValid = value.length <= MAX_RENDITIONS && value.every((width) => width >= MIN_WIDTH && width <= MAX_WIDTH);
  return isValid ? undefined : IS_INVALID;
}

const NOT_FOUND = refuse('API.CdnFiles.FileNotFound');
const UNKNOWN_STRATEGY = refuse('API.CdnFiles.UnknownCacheStrategy');
const PURGE_NOT_CONFIGURED = refuse('API.CdnFiles.PurgeNotConfigured');

const ChangedFileShape = record({
  data: FileShape,
  cache: Type.Object(
    { strategy: oneOf(STRATEGIES), url: text, purged: Type.Optional(boolean) },
    { additionalProperties: false },
  ),
});
const REFUSALS = [
  'API.CdnFiles.UnknownCacheStrategy',
  'API.CdnFiles.PurgeNotConfigured',
  'API.CdnFiles.FileInTrash',
  'API.CdnFiles.FileNotFound',
];

export interface VersionParts {
  readonly intake: ContentIntake;
  readonly versions: FileVersions;
  readonly queries: FileVersionQueries;
  readonly publication: Publication;
  readonly cachePurge: CachePurge;
  readonly base: string;
}

export function versionRoutes({ intake, versions, queries, publication, cachePurge, base }: VersionParts): Route[] {
  const parseStrategy = (value: unknown) => {
    const strategy = STRATEGIES.find((name) => name === value);
    if (strategy === undefined) return UNKNOWN_STRATEGY;
    return strategy === 'purge' && !cachePurge.isConfigured ? PURGE_NOT_CONFIGURED : strategy;
  };
  const exists = async (app: AppContext, id: number) => (await queries.checkReplaceable(app.id, id)) !== undefined;
  const respond = async (app: AppContext, file: ChangedFile, strategy: Strategy): Promise<HandlerResult> => {
    const data = await publication.publish(app.id, file);
    const result = strategy === 'purge' ? { purged: await cachePurge.purge(file.keys, file.version) } : {};
    const cache = { strategy, url: publicUrl(base, file.key, strategy === 'version' ? file.version : 1), ...result };
    return { status: 200, text: `{"data":${data},"cache":${JSON.stringify(cache)}}` };
  };
  return [
    route({
      method: 'get',
      path: '/cdn/files/:id/versions',
      caller: 'app',
      scope: 'media:read',
      extension: true,
      summary: 'Lists the kept versions of a file, newest first',
      answers: { 200: record({ data: listOf(VersionShape) }) },
      missingKey: 'API.CdnFiles.FileNotFound',
      handle: async ({ app, id }) => answerWith((await queries.list(app.id, id)) ?? NOT_FOUND, okJson),
    }),
    purgeRoute(versions),
    route({
      method: 'post',
      path: '/cdn/files/:id/replace',
      guard: FILE_GUARD,
      caller: 'app',
      scope: 'media:write',
      summary: 'Replaces the content under the same key; keeps the old one as a version',
      upload: true,
      body: ReplaceCdnFile,
      answers: { 200: ChangedFileShape },
      refusals: [
        'API.CdnFiles.FileRequired',
        ...REFUSALS,
        'API.CdnFiles.UnsupportedType',
        'API.CdnFiles.ImageTooLarge',
      ],
      missingKey: 'API.CdnFiles.FileNotFound',
      handle: async ({ app, id, file, body }) => {
        const checkResult = await queries.checkReplaceable(app.id, id);
        if (checkResult === undefined) return NOT_FOUND;
        if (file === undefined) return FILE_REQUIRED;
        const strategy = parseStrategy(body.cache_strategy);
        if (isRefusal(strategy)) return strategy;
        if (isRefusal(checkResult)) return checkResult;
        const { prefix } = app.settings.media;
        const content = await intake.receive({ id: app.id, prefix }, file);
        if (isRefusal(content)) return content;
        const changedFile = await versions.replace(app.id, id, content, termsOf(app, strategy));
        if (changedFile === undefined || isRefusal(changedFile) || changedFile.receiptId !== content.receipt.id)
          await intake.abandon(content.receipt);
        if (changedFile === undefined) return NOT_FOUND;
        return isRefusal(changedFile) ? changedFile : respond(app, changedFile, strategy);
      },
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/revert',
      guard: FILE_GUARD,
      caller: 'app',
      scope: 'media:write',
      summary: 'Restores a kept version as a new one; by default the latest',
      body: RevertCdnFile,
      bodyOptional: true,
      answers: { 200: ChangedFileShape },
      refusals: [...REFUSALS, 'API.CdnFiles.NoVersionToRevert'],
      missingKey: 'API.CdnFiles.FileNotFound',
      precheck: exists,
      handle: async ({ app, id, body }) => {
        if ((await queries.checkReplaceable(app.id, id)) === undefined) return NOT_FOUND;
        const strategy = parseStrategy(body.cache_strategy);
        if (isRefusal(strategy)) return strategy;
        const changedFile = await versions.revert(app.id, id, body.version ?? undefined, termsOf(app, strategy));
        if (changedFile === undefined) return NOT_FOUND;
        return isRefusal(changedFile) ? changedFile : respond(app, changedFile, strategy);
      },
    }),
    regenerateRoute(versions, exists),
  ];
}

function termsOf({ settings }: AppContext, strategy: Strategy): ChangeTerms {
  return { retentionDays: settings.media.trashRetentionDays, isPurged: strategy === 'purge' };
}

function purgeRoute(versions: FileVersions): Route {
  return route({
    method: 'delete',
    path: '/cdn/files/:id/versions/:version',
    guard: FILE_GUARD,
    caller: 'app',
    scope: 'media:write',
    extension: true,
    summary: 'Purges one kept version at once; caches drop it',
    answers: { 200: record({ data: DoneShape }) },
    refusals: ['API.CdnFiles.VersionNotFound'],
    missingKey: 'API.CdnFiles.VersionNotFound',
    handle: async ({ app, id, ids }) => {
      const result = await versions.purge(app.id, id, ids['version'] ?? 0);
      if (result !== true) return VERSION_NOT_FOUND;
      return ok({ success: true, message: 'The version is removed' });
    },
  });
}

type Precheck = NonNullable<Route['precheck']>;

function regenerateRoute(versions: FileVersions, exists: Precheck): Route {
  return route({
    method: 'post',
    path: '/cdn/files/:id/renditions/regenerate',
    guard: FILE_GUARD,
    caller: 'app',
    scope: 'media:write',
    summary: 'Makes renditions again in the background, by the preset or by the sent widths',
    body: RegenerateRenditions,
    bodyOptional: true,
    answers: { 202: record({ data: DoneShape }) },
    refusals: ['API.CdnFiles.FileNotFound', 'API.CdnFiles.FileInTrash'],
    missingKey: 'API.CdnFiles.FileNotFound',
    precheck: exists,
    handle: async ({ app, id, body }) => {
      const result = await versions.regenerate(app.id, id, body.renditions ?? undefined);
      if (result !== true) return result ?? NOT_FOUND;
      return { status: 202, body: { data: { success: true, message: 'The renditions are made in the background' } } };
    },
  });
}
