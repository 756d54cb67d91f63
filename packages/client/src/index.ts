export { ApiError, type ErrorEntry } from './api-error.js';
export { createClient, type Client, type ClientOptions } from './client.js';
export type { Retry, RetryOptions } from './retries.js';
export type { CallOptions, CallPath, ListPath, ResponseBody, Row, UploadPath } from './call-types.js';
export type { Progress, UploadFile } from './upload.js';
export { verifyWebhook, WebhookError, type VerifyOptions, type WebhookEvent, type WebhookHeaders } from './webhook.js';
export type { components, operations, paths, webhooks } from './schema.js';
