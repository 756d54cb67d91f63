import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const PAGE = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const TOLERANCE_SECONDS = 5 * 60;

interface SentDelivery {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Language {
  readonly name: string;
  readonly file: string;
  /** Source files by name. They run the snippet on each entry of cases.json and print the results as a JSON list. */
  readonly runner: Readonly<Record<string, string>>;
  readonly command: string;
  readonly args: readonly string[];
}

const NODE: Language = {
  name: 'node',
  file: 'verify.mjs',
  runner: {
    'run.mjs': `
      import { readFileSync } from 'node:fs';
      import { verify } from './verify.mjs';
      const cases = JSON.parse(readFileSync('cases.json', 'utf8'));
      const results = cases.map(({ secret, headers, body }) => {
        try {
          return verify(secret, headers, Buffer.from(body));
        } catch (error) {
          return error.message;
        }
      });
      console.log(JSON.stringify(results));`,
  },
  command: process.execPath,
  args: ['run.mjs'],
};

const PYTHON: Language = {
  name: 'python',
  file: 'verify.py',
  runner: {
    'run.py': `
import json
from verify import verify

def run(case):
    try:
        return verify(case["secret"], case["headers"], case["body"].encode())
    except ValueError as error:
        return str(error)

with open("cases.json", encoding="utf-8") as file:
    print(json.dumps([run(case) for case in json.load(file)]))`,
  },
  command: 'python3',
  args: ['-B', 'run.py'],
};

const PHP: Language = {
  name: 'php',
  file: 'verify.php',
  runner: {
    'run.php': `<?php
      require 'verify.php';
      $results = [];
      foreach (json_decode(file_get_contents('cases.json'), true) as $case) {
        try {
          $results[] = verify($case['secret'], $case['headers'], $case['body']);
        } catch (InvalidArgumentException $error) {
          $results[] = $error->getMessage();
        }
      }
      echo json_encode($results);`,
  },
  command: 'php',
  args: ['run.php'],
};

const CSHARP: Language = {
  name: 'csharp',
  file: 'Webhook.cs',
  runner: {
    'Run.cs': `
      using System.Text;
      using System.Text.Json;
      var cases = JsonSerializer.Deserialize<List<Case>>(File.ReadAllText("cases.json"));
      Console.WriteLine(JsonSerializer.Serialize(cases.Select(Run)));

      static object Run(Case one)
      {
        try { return Webhook.Verify(one.secret, one.headers, Encoding.UTF8.GetBytes(one.body)); }
        catch (ArgumentException error) { return error.Message.Split(" (")[0]; }
      }

      record Case(string secret, Dictionary<string, string> headers, string body);`,
    'run.csproj': `
      <Project Sdk="Microsoft.NET.Sdk">
        <PropertyGroup>
          <OutputType>Exe</OutputType>
          <TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework>
          <ImplicitUsings>enable</ImplicitUsings>
        </PropertyGroup>
      </Project>`,
  },
  command: 'dotnet',
  args: ['run'],
};

/** Replaces two classes that Mono lacks: `CryptographicOperations` and `System.Text.Json`. */
const CSHARP_ON_MONO: Language = {
  name: 'csharp',
  file: 'Webhook.cs',
  runner: {
    'Run.cs': `
      using System;
      using System.Collections.Generic;
      using System.IO;
      using System.Linq;
      using System.Text;
      using System.Web.Script.Serialization;

      namespace System.Security.Cryptography
      {
        public static class CryptographicOperations
        {
          public static bool FixedTimeEquals(byte[] a, byte[] b) { return a.SequenceEqual(b); }
        }
      }

      public class Case { public string secret; public Dictionary<string, string> headers; public string body; }

      public static class Runner
      {
        public static void Main()
        {
          var json = new JavaScriptSerializer();
          Console.WriteLine(json.Serialize(json.Deserialize<List<Case>>(File.ReadAllText("cases.json")).Select(Run)));
        }

        static object Run(Case one)
        {
          try { return Webhook.Verify(one.secret, one.headers, Encoding.UTF8.GetBytes(one.body)); }
          catch (ArgumentException error) { return error.Message.Split('\\n')[0]; }
        }
      }`,
    run: 'mcs -r:System.Web.Extensions -out:run.exe Run.cs Webhook.cs && exec mono run.exe',
  },
  command: 'sh',
  args: ['run'],
};

const isOnPath = (command: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

const LANGUAGES = [NODE, PYTHON];
if (isOnPath('php')) LANGUAGES.push(PHP);
if (isOnPath('dotnet')) LANGUAGES.push(CSHARP);
else if (isOnPath('mcs')) LANGUAGES.push(CSHARP_ON_MONO);

function snippetOf(language: string): string {
  const [, code = ''] = new RegExp(`<!-- snippet: ${language} -->\\s+\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(PAGE) ?? [];
  return code;
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const SECRET = newSecret();
const BODY = '{"type":"order.shipped","data":{"buyer":"Zoë Müller 🙂"}}';
const ID = 'msg_1_118';

function sign(secret: string, timestamp: number | string, body = BODY): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${ID}.${timestamp}.${body}`).digest('base64')}`;
}

const NOW = Math.floor(Date.now() / 1_000);

function makeDelivery(
  headers: Readonly<Record<string, string>> = {},
  changes: Partial<SentDelivery> = {},
): SentDelivery {
  const timestamp = headers['webhook-timestamp'] ?? String(NOW);
  const signature = sign(SECRET, timestamp);
  return {
    secret: SECRET,
    headers: { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...headers },
    body: BODY,
    ...changes,
  };
}

function deliveryWithout(header: string): SentDelivery {
  const delivery = makeDelivery();
  return {
    ...delivery,
    headers: Object.fromEntries(Object.entries(delivery.headers).filter(([name]) => name !== header)),
  };
}

const deliverySentAt = (seconds: number): SentDelivery => makeDelivery({ 'webhook-timestamp': String(NOW + seconds) });
const deliverySignedBy = (...signatures: readonly string[]): SentDelivery =>
  makeDelivery({ 'webhook-signature': signatures.join(' ') });

const RIGHT_SIGNATURE = sign(SECRET, NOW);
const WRONG_SIGNATURE = sign(newSecret(), NOW);
const EMPTY_SECRET = 'whsec_';

const CASES: readonly (readonly [string, SentDelivery, boolean | string])[] = [
  ['accepts a valid delivery', makeDelivery(), true],
  ['accepts a delivery that is 4 minutes old', deliverySentAt(60 - TOLERANCE_SECONDS), true],
  ['accepts a second signature', deliverySignedBy(WRONG_SIGNATURE, RIGHT_SIGNATURE), true],
  ['accepts a first signature', deliverySignedBy(RIGHT_SIGNATURE, WRONG_SIGNATURE), true],
  ['accepts a signature beside one of another version', deliverySignedBy('v1a,AAAA', RIGHT_SIGNATURE), true],
  ['refuses a changed body', makeDelivery({}, { body: BODY.replace('shipped', 'created') }), false],
  ['refuses a body with other spaces', makeDelivery({}, { body: BODY.replace(',', ', ') }), false],
  ['refuses another secret', makeDelivery({}, { secret: newSecret() }), false],
  ['refuses a delivery that is 6 minutes old', deliverySentAt(-TOLERANCE_SECONDS - 60), false],
  ['refuses a delivery that is 6 minutes early', deliverySentAt(TOLERANCE_SECONDS + 60), false],
  ['refuses two wrong signatures', deliverySignedBy(WRONG_SIGNATURE, WRONG_SIGNATURE), false],
  ['refuses a shortened signature', deliverySignedBy(RIGHT_SIGNATURE.slice(0, -1)), false],
  ['refuses a signature of another version', deliverySignedBy(RIGHT_SIGNATURE.replace('v1,', 'v2,')), false],
  ['refuses an empty signature', deliverySignedBy(''), false],
  ['refuses a signature that is not ASCII', deliverySignedBy('v1,ž'), false],
  ['refuses another id', makeDelivery({ 'webhook-id': 'msg_1_119' }), false],
  [
    'refuses another time',
    makeDelivery({ 'webhook-timestamp': String(NOW + 1), 'webhook-signature': RIGHT_SIGNATURE }),
    false,
  ],
  ['refuses a time that is not a number', makeDelivery({ 'webhook-timestamp': 'now' }), false],
  ['refuses a time with too many digits', makeDelivery({ 'webhook-timestamp': '1'.repeat(5_000) }), false],
  ['refuses a delivery without id', deliveryWithout('webhook-id'), false],
  ['refuses a delivery without time', deliveryWithout('webhook-timestamp'), false],
  ['refuses a delivery without signature', deliveryWithout('webhook-signature'), false],
  [
    'reports an empty secret',
    makeDelivery({ 'webhook-signature': sign(EMPTY_SECRET, NOW) }, { secret: EMPTY_SECRET }),
    'The secret is empty',
  ],
];

async function runCases({ name, file, runner, command, args }: Language, folder: string): Promise<unknown[]> {
  if (!isOnPath(command) && command !== process.execPath)
    throw new Error(
      `${command} is not on the PATH. Install it: this suite runs the ${name} snippet of docs/webhooks.md.`,
    );
  await mkdir(folder);
  const files = {
    ...runner,
    [file]: snippetOf(name),
    'cases.json': JSON.stringify(CASES.map(([, delivery]) => delivery)),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder });
  // dotnet may print a welcome text before the result.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown[];
}

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'webhook-snippets-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.each(LANGUAGES)('the $name snippet', (language) => {
  let results: unknown[];

  // A process starts slowly, so one process runs all cases.
  beforeAll(async () => {
    results = await runCases(language, join(root, language.name));
  }, 120_000);

  it.each(CASES.map(([title, , expected], index) => ({ title, expected, index })))('$title', ({ expected, index }) => {
    expect(results[index]).toBe(expected);
  });
});

describe('the page of webhooks', () => {
  it.each([NODE, PYTHON, PHP, CSHARP])('has a snippet for $name', ({ name }) => {
    expect(snippetOf(name)).toMatch(/verify\(/i);
  });
});
