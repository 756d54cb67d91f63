import * as rules from '@back-office/kernel';
import { errorKeysOf, isMessageKey, isKeyed } from '../http/error-keys.js';
import { TOKEN_FAILURES } from '../http/errors.js';
import type { Route } from '../http/route.js';

/** First line of every generated page. */
export const HEAD = '<!-- Written by `npm run docs` from the code; a test holds it to that. -->';

const EVERY_CALL = 'every call';

const RULES = [rules.CANT_BE_BLANK, rules.IS_INVALID, rules.IS_TOO_LONG, rules.MUST_BE_POSITIVE, rules.ALREADY_TAKEN];

/** The page of all message keys and texts, with their calls and status. */
export function errorsPage(routes: readonly Route[]): string {
  const answered = messagesOf(routes);
  const keys = answered.filter(({ message }) => isMessageKey(message));
  const texts = answered.filter(({ message }) => !isMessageKey(message) && !RULES.includes(message));
  return [
    '# Errors',
    '',
    HEAD,
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
    `Every call with a body answers these under the name of a field, with 422: ${RULES.map(coded).join(', ')}.`,
    '',
  ].join('\n');
}

interface Message {
  readonly message: string;
  readonly status: number;
  readonly calls: readonly string[];
}

/** Each message with each of its statuses, in alphabetical order. */
function messagesOf(routes: readonly Route[]): Message[] {
  const found = new Map<string, Message>();
  for (const route of routes) {
    for (const [status, messages] of errorKeysOf(route)) {
      for (const message of messages) {
        const id = `${message} ${status}`;
        const calls = [...(found.get(id)?.calls ?? []), nameOf(route)];
        found.set(id, { message, status, calls });
      }
    }
  }
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, message]) => ({ ...message, calls: abbreviated(message, routes) }));
}

function abbreviated({ message, calls }: Message, routes: readonly Route[]): readonly string[] {
  if ((TOKEN_FAILURES as readonly string[]).includes(message)) return [EVERY_CALL];
  const [writes, unkeyed] = [routes.filter(({ method }) => method !== 'get'), routes.filter(isUnkeyedWrite)];
  if (calls.length < writes.length - unkeyed.length) return calls;
  return [`every call but GET and ${unkeyed.map(nameOf).join(', ')}`];
}

function isUnkeyedWrite(route: Route): boolean {
  return route.method !== 'get' && !isKeyed(route);
}

function tableOf(messages: readonly Message[]): string[] {
  const rows = messages.map(({ message, status, calls }) => `| ${coded(message)} | ${status} | ${calls.join(', ')} |`);
  return ['| message | status | calls |', '| --- | --- | --- |', ...rows];
}

function nameOf({ method, path }: Route): string {
  return coded(`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
}

function coded(text: string): string {
  return `\`${text}\``;
}
