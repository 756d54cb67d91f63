import { errorKeysOf, isKey, isKeyed } from '../http/error-keys.js';
import { TOKEN_FAILURES } from '../http/errors.js';
import * as rules from '../http/request-fields.js';
import type { Route } from '../http/route.js';

/** What every page that is written from the code says of itself. */
export const HEAD = '<!-- Written by `npm run docs` from the code; a test holds it to that. -->';

const EVERY_CALL = 'every call';

const RULES = [rules.CANT_BE_BLANK, rules.IS_INVALID, rules.IS_TOO_LONG, rules.MUST_BE_POSITIVE, rules.ALREADY_TAKEN];

/** The page of all message keys and texts, with the calls that answer them and their status. */
export function errorsPage(routes: readonly Route[]): string {
  const said = messagesOf(routes);
  const keys = said.filter(({ message }) => isKey(message));
  const texts = said.filter(({ message }) => !isKey(message) && !RULES.includes(message));
  return [
    '# Errors',
    '',
    HEAD,
    '',
    'How an error looks, by its status, is told in the [quickstart](quickstart.md#when-something-is-wrong); this page lists what',
    'it says. A message is a key, `API.<Area>.<What>`, or a plain text. When the app has a sentence for it in the language of',
    'the token (`translations` of `PATCH /app/settings`; the language is given with the token, else it is the app’s',
    '`default_language`), the sentence stands in its place, under the same name: an app that translates its messages leaves',
    'its clients the status and that name to branch on. The API reference lists the keys of each answer under',
    '`x-error-keys`.',
    '',
    'A key with status 200 or 201 is the reason why a row or an entry failed in a call that succeeded as a whole.',
    '',
    '## Keys',
    '',
    ...tableOf(keys),
    '',
    '## Texts',
    '',
    'They are translated as keys are, by the whole text as it is said.',
    '',
    ...tableOf(texts),
    '',
    `Rules of fields, 422 under the name of the field, in every call with a body: ${RULES.map(coded).join(', ')}.`,
    '',
  ].join('\n');
}

interface Message {
  readonly message: string;
  readonly status: number;
  readonly calls: readonly string[];
}

/** Each message with each status that it comes with, in alphabetical order. */
function messagesOf(routes: readonly Route[]): Message[] {
  const found = new Map<string, Message>();
  for (const route of routes) {
    for (const [status, messages] of errorKeysOf(route)) {
      for (const message of messages) {
        const at = `${message} ${status}`;
        const calls = [...(found.get(at)?.calls ?? []), nameOf(route)];
        found.set(at, { message, status, calls });
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
