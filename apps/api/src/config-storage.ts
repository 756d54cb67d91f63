import { InvalidConfig } from './config-values.js';

export interface S3Config {
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly publicUrl: string | undefined;
}

export type StorageConfig =
  | { readonly kind: 'disk' }
  | { readonly kind: 's3'; readonly s3: S3Config }
  | { readonly kind: 'module'; readonly module: string };

interface S3Variables {
  readonly STORAGE: string;
  readonly S3_ENDPOINT: string | undefined;
  readonly S3_REGION: string;
  readonly S3_BUCKET: string | undefined;
  readonly S3_ACCESS_KEY_ID: string | undefined;
  readonly S3_SECRET_ACCESS_KEY: string | undefined;
  readonly S3_PUBLIC_URL: string | undefined;
}

export function storageOf(variables: S3Variables): StorageConfig {
  if (variables.STORAGE === 'disk') return { kind: 'disk' };
  if (variables.STORAGE !== 's3') return { kind: 'module', module: variables.STORAGE };
  if (variables.S3_BUCKET === undefined) throw new InvalidConfig('Bad configuration: S3_BUCKET: is missing');
  const s3 = {
    endpoint: variables.S3_ENDPOINT,
    region: variables.S3_REGION,
    bucket: variables.S3_BUCKET,
    accessKeyId: variables.S3_ACCESS_KEY_ID,
    secretAccessKey: variables.S3_SECRET_ACCESS_KEY,
    publicUrl: variables.S3_PUBLIC_URL,
  };
  return { kind: 's3', s3 };
}
