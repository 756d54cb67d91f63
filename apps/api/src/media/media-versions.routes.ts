import { isRefusal, refuse } from '@back-office/kernel';
import { publicUrl } from '@back-office/media';
import { answered, okText, type Outcome } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import { CANT_BE_BLANK, IS_INVALID, JudgedBy, MALFORMED, Whole } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { listOf, oneOf, record, text, truth } from '../http/shapes.js';
import { Type } from '@sinclair/typebox';
import type { CachePurge } from './cache-purge.js';
import type { ContentIntake } from './content-intake.js';
import { FileShape, VersionShape } from './file-shapes.js';
import { DoneShape } from './folder-shapes.js';
import { Anything } from './media-fields.js';
import type { Publication } from './publication.js';
import type { ChangedFile, ChangeTerms, TypeOrmMediaVersions } from './typeorm-media-versions.js';
import { FILE_REQUIRED } from './uploads.routes.js';

const optional = true;
const STRATEGIES = ['version', 'purge', 'ttl'] as const;
type Strategy = (typeof STRATEGIES)[number];
const [LEAST_WIDTH, MOST_WIDTH, MOST_WIDTHS] = [16, 4_096, 10];

class ReplaceCdnFile {
  @Anything() cache_strategy?: unknown;
}

class RevertCdnFile {
  @Anything() cache_strategy?: unknown;
  @Whole({ min: 1, optional }) version?: number | null;
}

class RegenerateRenditions {
  @JudgedBy(
    judgeWidths,
    { type: 'array', items: { type: 'integer', minimum: LEAST_WIDTH, maximum: MOST_WIDTH } },
    { optional },
  )
  renditions?: number[] | null;
}

function judgeWidths(value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every((each) => Number.isSafeInteger(each))) return MALFORMED;
  if (value.length === 0) return CANT_BE_BLANK;
  const fits = value.length <= MOST_WIDTHS && value.every((each) => each >= LEAST_WIDTH && each <= MOST_WIDTH);
  return fits ? undefined : IS_INVALID;
}

const NOT_FOUND = refuse('API.CdnFiles.FileNotFound');
const UNKNOWN_STRATEGY = refuse('API.CdnFiles.UnknownCacheStrategy');
const NOT_CONFIGURED = refuse('API.CdnFiles.PurgeNotConfigured');

const ChangedShape = record({
  data: FileShape,
  cache: Type.Object(
    { strategy: oneOf(STRATEGIES), url: text, purged: Type.Optional(truth) },
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
  readonly versions: TypeOrmMediaVersions;
  readonly publication: Publication;
  readonly purges: CachePurge;
  readonly base: string;
}

/** Other contents under the same address. */
export function versionRoutes({ intake, versions, publication, purges, base }: VersionParts): Route[] {
  const strategyOf = (sent: unknown) => {
    const strategy = STRATEGIES.find((each) => each === sent);
    if (strategy === undefined) return UNKNOWN_STRATEGY;
    return strategy === 'purge' && !purges.isConfigured ? NOT_CONFIGURED : strategy;
  };
  const exists = async (app: AppContext, id: number) => (await versions.replaceable(app.id, id)) !== undefined;
  const answer = async (app: AppContext, file: ChangedFile, strategy: Strategy): Promise<Outcome> => {
    const data = await publication.publish(app.id, file);
    const purged = strategy === 'purge' ? { purged: await purges.purge(file.keys, file.version) } : {};
    const cache = { strategy, url: publicUrl(base, file.key, strategy === 'version' ? file.version : 1), ...purged };
    return { status: 200, text: `{"data":${data},"cache":${JSON.stringify(cache)}}` };
  };
  const termsOf = ({ settings }: AppContext, strategy: Strategy): ChangeTerms => ({
    retentionDays: settings.media.trashRetentionDays,
    isPurged: strategy === 'purge',
  });
  return [
    route({
      method: 'get',
      path: '/cdn/files/:id/versions',
      caller: 'app',
      extension: true,
      summary: 'Contents that a file has had before, as long as they are kept, the latest first',
      answers: { 200: record({ data: listOf(VersionShape) }) },
      missing: 'API.CdnFiles.FileNotFound',
      handle: async ({ app, id }) => answered((await versions.listJson(app.id, id)) ?? NOT_FOUND, okText),
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/replace',
      caller: 'app',
      summary: 'New content under the same key; what was there is kept as a version',
      upload: true,
      body: ReplaceCdnFile,
      answers: { 200: ChangedShape },
      refusals: [
        'API.CdnFiles.FileRequired',
        ...REFUSALS,
        'API.CdnFiles.UnsupportedType',
        'API.CdnFiles.ImageTooLarge',
      ],
      missing: 'API.CdnFiles.FileNotFound',
      handle: async ({ app, id, file, body }) => {
        const replaceable = await versions.replaceable(app.id, id);
        if (replaceable === undefined) return NOT_FOUND;
        if (file === undefined) return FILE_REQUIRED;
        const strategy = strategyOf(body.cache_strategy);
        if (isRefusal(strategy)) return strategy;
        if (isRefusal(replaceable)) return replaceable;
        const { prefix } = app.settings.media;
        const taken = await intake.take({ id: app.id, prefix }, file);
        if (isRefusal(taken)) return taken;
        const changed = await versions.replace(app.id, id, taken, termsOf(app, strategy));
        if (changed === undefined || isRefusal(changed) || changed.receiptId !== taken.receipt.id)
          await intake.abandon(taken.receipt);
        if (changed === undefined) return NOT_FOUND;
        return isRefusal(changed) ? changed : answer(app, changed, strategy);
      },
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/revert',
      caller: 'app',
      summary: 'Brings a kept content back as a new version; the latest one unless another is named',
      body: RevertCdnFile,
      bodyOptional: true,
      answers: { 200: ChangedShape },
      refusals: [...REFUSALS, 'API.CdnFiles.NoVersionToRevert'],
      missing: 'API.CdnFiles.FileNotFound',
      record: exists,
      handle: async ({ app, id, body }) => {
        if ((await versions.replaceable(app.id, id)) === undefined) return NOT_FOUND;
        const strategy = strategyOf(body.cache_strategy);
        if (isRefusal(strategy)) return strategy;
        const changed = await versions.revert(app.id, id, body.version ?? undefined, termsOf(app, strategy));
        if (changed === undefined) return NOT_FOUND;
        return isRefusal(changed) ? changed : answer(app, changed, strategy);
      },
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/renditions/regenerate',
      caller: 'app',
      summary: 'Makes renditions anew in the background: those of the preset, or those of the widths that are named',
      body: RegenerateRenditions,
      bodyOptional: true,
      answers: { 202: record({ data: DoneShape }) },
      refusals: ['API.CdnFiles.FileNotFound', 'API.CdnFiles.FileInTrash'],
      missing: 'API.CdnFiles.FileNotFound',
      record: exists,
      handle: async ({ app, id, body }) => {
        const ordered = await versions.regenerate(app.id, id, body.renditions ?? undefined);
        if (ordered !== true) return ordered ?? NOT_FOUND;
        return { status: 202, body: { data: { success: true, message: 'The renditions are made in the background' } } };
      },
    }),
  ];
}
