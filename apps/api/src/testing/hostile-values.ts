type NamedValue = readonly [name: string, value: unknown];

/** Named hostile JSON values for any field of a body, by kind. */
const KINDS_OF_VALUES: readonly (readonly NamedValue[])[] = [
  [
    ['null', null],
    ['absent', undefined],
  ],
  [['true', true]],
  [
    ['an empty text', ''],
    ['a blank text', ' \t\u00a0'],
  ],
  [
    ['NUL', 'a\0b'],
    ['half of a surrogate pair', '\ud800'],
  ],
  [
    ['a text of 10,000 characters', 'x'.repeat(10_000)],
    ['400 digits as text', '9'.repeat(400)],
  ],
  [
    ['an integer as text', '1'],
    ['NaN as text', 'NaN'],
  ],
  [
    ['SQL', "'; drop table orders; --"],
    ['an emoji', '👩‍👩‍👧'],
    ['__proto__ as text', '__proto__'],
  ],
  [
    ['a date that does not exist', '2026-02-30'],
    ['a date after all dates', '+275760-09-14T00:00:00Z'],
    ['the last datetime, in the west', '9999-12-31T23:59:59-23:59'],
  ],
  [
    ['-1', -1],
    ['0', 0],
  ],
  [
    ['0.5', 0.5],
    ['1e-7', 1e-7],
  ],
  [
    ['2^63', 2 ** 63],
    ['2^31', 2 ** 31],
    ['2^53', 2 ** 53],
    ['1e308', 1e308],
  ],
  [
    ['a list of null', [null]],
    ['an empty list', []],
    ['a list of a text twice', ['x', 'x']],
    ['a list of 60 texts', Array.from({ length: 60 }, (_, index) => `t${index}`)],
    ['a list of lists', [[], []]],
  ],
  [
    ['an object with a prototype', JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}')],
    ['an object that looks like a list', { 0: 'x', length: 1 }],
    ['an empty object', {}],
    ['an object with methods', JSON.parse('{"toString":1,"valueOf":null,"then":1,"toJSON":"x","length":1e9}')],
    ['25 nested objects', JSON.parse('{"a":'.repeat(25) + '1' + '}'.repeat(25))],
  ],
];

export const HOSTILE_VALUES: readonly NamedValue[] = KINDS_OF_VALUES.flat();

export const BROKEN_JSON: readonly string[] = [
  '{',
  '[1',
  '"',
  '{"a":1,}',
  '{"a" 1}',
  '{} {}',
  "{'a':1}",
  'a=1',
  'undefined',
  '{"a":NaN}',
  '{"a":01}',
  '{"a":1}/**/',
  '\u0000',
  '\ufeff\ufeff{}',
  '{"a":"\n"}',
  '{"a":"\\x"}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
];

/** Bodies that every call refuses, by kind. */
const KINDS_OF_BODIES: readonly (readonly string[])[] = [
  ['null', 'true', '5', '"x"'],
  ['[{}]', '[]', '[null]'],
  BROKEN_JSON,
];

export const HOSTILE_BODIES: readonly string[] = KINDS_OF_BODIES.flat();

type MakeQuery = (parameter: string) => string;

/** Makers of hostile queries for a parameter, by kind. */
const KINDS_OF_QUERIES: readonly (readonly MakeQuery[])[] = [
  [(name) => name],
  ...[
    ['', 'null', 'true', 'NaN'],
    ['9223372036854775808', '2147483648', '9007199254740993', '9'.repeat(5_000)],
    ['-1', '0', '%2B1', '0.5', '1e3', '1e308', '0x10'],
    ['x'.repeat(50_000), ','.repeat(2_000), 'a,b'],
    ['a%00b', '%00'],
    ['%E0%A4%A', '%C0%AF', '%ED%A0%80'],
    [
      '%27%3B%20drop%20table%20orders%3B%20--',
      '%25_%5C',
      '%F0%9F%98%80',
      '%EF%BC%91',
      '%2B275760-09-14T00%3A00%3A00Z',
      'constructor',
      '__proto__',
      '[1]',
    ],
  ].map((values) => values.map((value) => (name: string) => `${name}=${value}`)),
  [(name) => `${name}=1&${name}=2`],
  [
    (name) => `${name}[]=1&${name}[]=2`,
    (name) => `${name}[0]=1`,
    (name) => `${name}[9999999]=1`,
    (name) => `${name}[]`,
    (name) => `${name}]=1`,
    (name) => `${name}[=1`,
  ],
  [
    (name) => `${name}[__proto__]=1`,
    (name) => `${name}[x]=1`,
    (name) => `${name}[0][key]=1`,
    (name) => `${name}[a][b][c][d]=1`,
    (name) => `${name}[constructor][prototype]=1`,
    (name) => `${name}[length]=1000000000`,
    (name) => `${name}[toString]=1`,
  ],
];

export const HOSTILE_QUERIES: readonly MakeQuery[] = KINDS_OF_QUERIES.flat();

/** Path segments that identify no record, by kind. */
const KINDS_OF_IDS: readonly (readonly string[])[] = [
  ['0', '-1', '-0', '+1'],
  ['%201', '1%20'],
  ['1%00'],
  ['1.5', '1e3', '0x1', '1,2', '1;2', '1%2F2'],
  [
    '9223372036854775808',
    '2147483648',
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '9'.repeat(5_000),
  ],
  ['x'.repeat(10_000), 'NaN', 'null', 'undefined', '[object%20Object]', ':id', '*', '%2E%2E'],
  ['%27%20or%201=1--', '%EF%BC%91', '%F0%9F%98%80'],
  ['__proto__', 'constructor'],
];

export const HOSTILE_IDS: readonly string[] = KINDS_OF_IDS.flat();

export const UNDECODABLE_IDS: readonly string[] = ['%', '%E0%A4%A', '%C0%AF', '%ED%A0%80', '1%ff'];

/** Lists of hostile input for the suite over all fields, parameters and ids. */
export interface HostileInput {
  readonly values: readonly NamedValue[];
  /** Values and names of fields that no body has. */
  readonly unknownValues: readonly NamedValue[];
  readonly unknownNames: readonly string[];
  readonly bodies: readonly string[];
  readonly queries: readonly MakeQuery[];
  readonly ids: readonly string[];
  readonly undecodableIds: readonly string[];
}

export const ALL_HOSTILE_INPUT: HostileInput = {
  values: HOSTILE_VALUES,
  unknownValues: HOSTILE_VALUES,
  unknownNames: ['__proto__', 'a\0b', '\ud800', 'constructor', 'toJSON', ''],
  bodies: HOSTILE_BODIES,
  queries: HOSTILE_QUERIES,
  ids: HOSTILE_IDS,
  undecodableIds: UNDECODABLE_IDS,
};

export const ONE_OF_EACH_KIND: HostileInput = {
  values: firstOfEach(KINDS_OF_VALUES),
  unknownValues: [['an object', { a: [1] }]],
  unknownNames: ['__proto__', 'a\0b'],
  bodies: firstOfEach(KINDS_OF_BODIES),
  queries: firstOfEach(KINDS_OF_QUERIES),
  ids: firstOfEach(KINDS_OF_IDS),
  undecodableIds: UNDECODABLE_IDS.slice(0, 1),
};

function firstOfEach<Value>(kinds: readonly (readonly Value[])[]): Value[] {
  return kinds.flatMap((kind) => kind.slice(0, 1));
}
