import { encodeForm, type Form, type FormFields } from './form.js';

/** A `Blob` or `File` can be sent again after a failure; a stream cannot. */
export type UploadFile = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Progress {
  /** Bytes of the request body that the connection has taken. */
  readonly sentBytes: number;
  /** Absent for streams. */
  readonly totalBytes?: number;
  /** From 1; a retry starts again at 0 bytes. */
  readonly attempt: number;
}

export interface Upload {
  readonly fields: FormFields;
  readonly file: UploadFile;
  readonly fileName: string | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly fetch: typeof fetch;
}

export const isRepeatableFile = (file: UploadFile): boolean => file instanceof Blob;

const DEFAULT_TYPE = 'application/octet-stream';

/** Returns a function that sends the upload once, to the URL and with the headers of a request. */
export function uploadSender(upload: Upload, boundary: string) {
  const { file, fields } = upload;
  const { name, type } = file as Partial<File>;
  const form = encodeForm(
    fields,
    { name: upload.fileName ?? name ?? 'file', type: (type ?? '') === '' ? DEFAULT_TYPE : (type as string) },
    boundary,
  );
  return async ({ url, headers }: Request, signal: AbortSignal, attempt: number): Promise<Response> => {
    const sent = new Headers(headers);
    sent.set('Content-Type', form.contentType);
    const call: SingleCall = { url, headers: sent, signal, report: reporter(upload, attempt) };
    const inBrowser = typeof XMLHttpRequest === 'function';
    // Browsers cannot send a stream over every protocol, so they send a blob.
    if (file instanceof Blob || inBrowser)
      return sendBlob(upload, new Blob([form.head, await toBlob(file), form.tail]), call);
    return sendStream(upload, streamOf(form, file), call);
  };
}

interface SingleCall {
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly report: (sentBytes: number, totalBytes?: number) => void;
}

function reporter({ onProgress }: Upload, attempt: number): SingleCall['report'] {
  return (sentBytes, totalBytes) =>
    onProgress?.({ sentBytes, attempt, ...(totalBytes !== undefined && { totalBytes }) });
}

function toBlob(file: UploadFile): Blob | Promise<Blob> {
  return file instanceof Blob ? file : new Response(file as ReadableStream<Uint8Array>).blob();
}

function sendBlob(upload: Upload, body: Blob, call: SingleCall): Promise<Response> {
  const { url, headers, signal } = call;
  if (upload.onProgress === undefined) return upload.fetch(url, { method: 'POST', headers, body, signal });
  if (typeof XMLHttpRequest === 'function') return sendWithXhr(body, call);
  return sendStream(upload, chunksOf(body.stream()), call, body.size);
}

/** Uses XHR, because `fetch` of browsers reports no upload progress. */
function sendWithXhr(body: Blob, { url, headers, signal, report }: SingleCall): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.open('POST', url);
    headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.responseType = 'arraybuffer';
    request.upload.addEventListener('progress', ({ loaded, total }) => report(loaded, total));
    request.addEventListener('load', () => resolve(responseOf(request)));
    request.addEventListener('error', () => reject(new TypeError('The upload failed')));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort, { once: true });
    request.send(body);
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().split('\r\n');
  const headers = lines
    .filter((line) => line.includes(': '))
    .map((line): [string, string] => {
      const end = line.indexOf(': ');
      return [line.slice(0, end), line.slice(end + 2)];
    });
  const body = request.response as ArrayBuffer;
  const { status, statusText } = request;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

function sendStream(
  { fetch: send }: Upload,
  chunks: AsyncIterator<Uint8Array, void>,
  { url, headers, signal, report }: SingleCall,
  totalBytes?: number,
): Promise<Response> {
  let sentBytes = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      // Reports the earlier chunks as sent, because the connection requests a chunk only after it has taken the
      // previous one.
      report(sentBytes, totalBytes);
      if (next.done === true) return controller.close();
      sentBytes += next.value.byteLength;
      return controller.enqueue(next.value);
    },
    cancel: async () => void (await chunks.return?.()),
  });
  // `fetch` requires `duplex` for a stream, but the types of the DOM do not contain it.
  return send(url, { method: 'POST', headers, body, signal, duplex: 'half' } as RequestInit);
}

async function* streamOf({ head, tail }: Form, file: UploadFile): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  yield encoder.encode(head);
  yield* chunksOf(file as ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>);
  yield encoder.encode(tail);
}

/** Does not use the iterator of a `ReadableStream`, which some runtimes do not have. */
async function* chunksOf(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (!('getReader' in source)) {
    yield* source;
    return;
  }
  const reader = source.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
