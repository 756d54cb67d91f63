import * as rules from '@back-office/kernel';
import { errorKeysOf, isMessageKey, isKeyed } from '../http/error-keys.js';
import { TOKEN_FAILURES } from '../http/errors.js';
import type { Route } from '../http/route.js';

export const GENERATED_NOTICE = '<!-- Written by `npm run docs` from the code; a test holds it to that. -->';

const EVERY_CALL = 'every call';

const FIELD_RULES = [
  rules.CANT_BE_BLANK,
  rules.IS_INVALID,
  rules.IS_TOO_LONG,
  rules.MUST_BE_POSITIVE,
  rules.ALREADY_TAKEN,
];

export function errorsPage(routes: readonly Route[]): string {
  const messages = messagesOf(routes);
  const keys = messages.filter(({ message }) => isMessageKey(message));
  const texts = messages.filter(({ message }) => !isMessageKey(message) && !FIELD_RULES.includes(message));
  return [
    '# Errors',
    '',
    GENERATED_NOTICE,
    '',
    'Look a message up here to see which call answers it, with which status. The shape of an error is in the',
    '[quickstart](quickstart.md#when-something-is-wrong).',
    '',
    '- A message is a key, `API.<Area>.<What>`, or a plain text.',
    '- An app may translate it (`translations` of `PATCH /app/settings`). Its sentence then stands under the same name.',
    '- The language is that of the token, else the app’s `default_language`.',
    '- Clients of an app that translates branch on the status and on that name.',
    '- The API reference lists the keys of each answer under `x-error-keys`.',
    '',
    'A key with status 200 or 201 is the reason why a row or an entry failed in a call that succeeded as a whole.',
    '',
    '## Keys',
    '',
    ...tableOf(keys),
    '',
    '## Texts',
    '',
    'Texts are translated like keys, by the whole text.',
    '',
    ...tableOf(texts),
    '',
    `Every call with a body answers these under the name of a field, with 422: ${FIELD_RULES.map(codeSpan).join(', ')}.`,
    '',
  ].join('\n');
}

interface Message {
  readonly message: string;
  readonly status: number;
  readonly calls: readonly string[];
}

/** Lists each message with each of its statuses, in alphabetical order. */
function messagesOf(routes: readonly Route[]): Message[] {
  const messagesById = new Map<string, Message>();
  for (const route of routes) {
    for (const [status, messages] of errorKeysOf(route)) {
      for (const message of messages) {
        const id = `${message} ${status}`;
        const calls = [...(messagesById.get(id)?.calls ?? []), nameOf(route)];
        messagesById.set(id, { message, status, calls });
      }
    }
  }
  const sortedMessages = [...messagesById].sort(([a], [b]) => (a < b ? -1 : 1));
  return sortedMessages.map(([, message]) => ({ ...message, calls: abbreviateCalls(message, routes) }));
}

function abbreviateCalls({ message, calls }: Message, routes: readonly Route[]): readonly string[] {
  if ((TOKEN_FAILURES as readonly string[]).includes(message)) return [EVERY_CALL];
  const [writeRoutes, unkeyedRoutes] = [routes.filter(({ method }) => method !== 'get'), routes.filter(isUnkeyedWrite)];
  if (calls.length < writeRoutes.length - unkeyedRoutes.length) return calls;
  return [`every call but GET and ${unkeyedRoutes.map(nameOf).join(', ')}`];
}

function isUnkeyedWrite(route: Route): boolean {
  return route.method !== 'get' && !isKeyed(route);
}

function tableOf(messages: readonly Message[]): string[] {
  const rows = messages.map(
    ({ message, status, calls }) => `| ${codeSpan(message)} | ${status} | ${calls.join(', ')} |`,
  );
  return ['| message | status | calls |', '| --- | --- | --- |', ...rows];
}

function nameOf({ method, path }: Route): string {
  return codeSpan(`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
}

function codeSpan(text: string): string {
  return `\`${text}\``;
}
