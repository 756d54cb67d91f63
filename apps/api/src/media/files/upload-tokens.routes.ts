import type { AccessTokens, UploadGrant } from '@back-office/apps';
import {
  addSeconds,
  formatDateTime,
  IS_INVALID,
  isRefusal,
  refuse,
  type Clock,
  type Refusal,
} from '@back-office/kernel';
import { parseFolderPath, type FolderPath, type NewFile, type UploadPresetQueries } from '@back-office/media';
import { created } from '../../http/answer.js';
import { hashToken, newToken } from '../../http/authentication.js';
import { DAY_SECONDS, Duration, parseDuration } from '../../http/duration.js';
import { IsOptional, IsRecordId, MaxLength, Type, ValidateNested, Wrapper } from '../../http/request-fields.js';
import { route, SMALL_BODY_BYTES, type Route } from '../../http/route.js';
import { component, dateTime, integer, nullable, record, text } from '../../http/shapes.js';
import { MAX_PATH_LENGTH } from './media-fields.js';

const DEFAULT_LIFETIME_SECONDS = 600;

class UploadTokenFields {
  @IsOptional() @MaxLength(MAX_PATH_LENGTH) folder?: string | null;
  @IsOptional() @IsRecordId() preset_id?: number | null;
  @IsOptional() @Duration(DAY_SECONDS, 'default 10 minutes, at most a day') expires_in?: number | string | null;
}

class PostUploadToken {
  @Wrapper() @ValidateNested() @Type(() => UploadTokenFields) upload_token!: UploadTokenFields;
}

const UploadTokenShape = component('UploadToken', {
  id: integer,
  access_token: text,
  folder: nullable(text),
  preset_id: nullable(integer),
  expires_at: dateTime,
  created_by: integer,
});

export function uploadTokenRoutes(tokens: AccessTokens, presets: UploadPresetQueries, clock: Clock): Route[] {
  return [
    route({
      method: 'post',
      path: '/upload_tokens',
      caller: 'app',
      scope: 'media:write',
      extension: true,
      summary: 'Creates a short-lived token with which a browser can upload into one folder, and do nothing else',
      body: PostUploadToken,
      maxBodyBytes: SMALL_BODY_BYTES,
      answers: { 201: record({ data: UploadTokenShape }) },
      returnsSecret: true,
      handle: async ({ app, tokenId, body: { upload_token: fields } }) => {
        const folder = parseFolderPath(fields.folder ?? '', 'folder');
        if (isRefusal(folder)) return folder;
        const secret = newToken('upload', app.id);
        const presetId = fields.preset_id ?? null;
        if (presetId !== null && !(await hasPreset(presets, app.id, presetId))) return refuse(IS_INVALID, 'preset_id');
        const expiresAt = addSeconds(clock.now(), parseDuration(fields.expires_in, DEFAULT_LIFETIME_SECONDS));
        const properties = { scopes: ['media:write'], expiresAt, upload: { folder, presetId } } as const;
        const token = await tokens.add({ appId: app.id, hash: hashToken(secret), ...properties, createdBy: tokenId });
        return (
          token &&
          created({
            id: token.id,
            access_token: secret,
            folder: folder === '' ? null : folder,
            preset_id: presetId,
            expires_at: formatDateTime(expiresAt),
            created_by: tokenId,
          })
        );
      },
    }),
  ];
}

async function hasPreset(presets: UploadPresetQueries, appId: number, id: number): Promise<boolean> {
  const list = JSON.parse(await presets.list(appId)) as readonly { readonly id: number }[];
  return list.some((preset) => preset.id === id);
}

export const UPLOAD_NOT_GRANTED = 'API.Tokens.UploadNotGranted';

/**
 * Refuses a form whose folder or preset differs from that of its upload token. Absent values are taken from the token.
 */
export function limitToGrant(details: NewFile, grant: UploadGrant | null, hasFolder: boolean): NewFile | Refusal {
  if (grant === null) return details;
  const presetId = grant.presetId ?? undefined;
  const isGranted =
    (!hasFolder || details.folder === grant.folder) &&
    (details.presetId === undefined || details.presetId === presetId);
  return isGranted ? { ...details, folder: grant.folder as FolderPath, presetId } : refuse(UPLOAD_NOT_GRANTED);
}
