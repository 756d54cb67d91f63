const MAX_ROWS = 2;
const MAX_TEXT_LENGTH = 300;

/** Fixed values of fields that are random in every run. */
const FIXED_FIELDS: Readonly<Record<string, unknown>> = {
  data_part: 5,
  customer_data_part: 5,
  partid: 5,
  latency_ms: 42,
  bytes: 512,
  request_id: '8f14e45f-ceea-4a7b-9c1d-2f6b7d3a5e10',
  service_request_id: '8f14e45f-ceea-4a7b-9c1d-2f6b7d3a5e10',
};

/** Patterns of random texts and their placeholders. Equal texts get equal placeholders. */
const RANDOM_TEXTS: readonly (readonly [pattern: RegExp, placeholder: (count: number) => string])[] = [
  [/\bP-\d{4}-[0-9A-Z]{6}\b/g, (count) => `P-2026-TEE${count + 100}`],
  [/\bO-\d{4}-[0-9A-Z]{8}\b/g, (count) => `O-2026-TEE${count + 10_000}`],
  [/\b\d\d-\d{4}-[0-9A-Z]{6}\b/g, (count) => `97-2026-TEE${count + 100}`],
  [/@v\d-[0-9a-f]{32}\b/g, (count) => `@v1-${String(count).padStart(32, '0')}`],
  [/\bwhsec_[\w+/=]+/g, (count) => `whsec_example-secret-${count}`],
];

/** Payment reference in the text of a QR code. */
const QR_REFERENCE = /\bRO:97(\d\d)(\d{4})([0-9A-Z]{6})\b/;

const SECRET_FIELDS: Readonly<Record<string, string>> = {
  access_token: 'example-token',
  token: 'example-token',
};

/** Replaces random values by fixed ones, and shortens lists and texts. */
export class Readable {
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<RegExp, number>();

  /** `urls` are URLs of this run and their replacements in the examples. */
  constructor(readonly urls: [text: string, replacement: string][]) {}

  of(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return this.textOf(value, field);
    if (value === null || typeof value !== 'object')
      return value !== null && field in FIXED_FIELDS ? FIXED_FIELDS[field] : value;
    if (Array.isArray(value)) {
      const rows: unknown[] = value.slice(0, typeof value[0] === 'object' ? MAX_ROWS : undefined);
      return rows.map((row) => this.of(row, field));
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.of(part, name)]));
  }

  private textOf(text: string, field: string): string {
    if (field in FIXED_FIELDS) return FIXED_FIELDS[field] as string;
    if (field in SECRET_FIELDS) return SECRET_FIELDS[field] as string;
    let readable = text;
    for (const [found, replacement] of this.urls) readable = readable.replaceAll(found, replacement);
    for (const [pattern, placeholder] of RANDOM_TEXTS) {
      readable = readable.replaceAll(pattern, (random) => this.placeholderOf(random, pattern, placeholder));
    }
    readable = readable.replace(QR_REFERENCE, (_, check: string, year: string, number: string) => {
      const reference = this.placeholders.get(`${check}-${year}-${number}`) ?? '';
      return `RO:97${reference.replaceAll('-', '')}`;
    });
    return readable.length > MAX_TEXT_LENGTH ? `${readable.slice(0, MAX_TEXT_LENGTH)}…` : readable;
  }

  private placeholderOf(random: string, pattern: RegExp, placeholder: (count: number) => string): string {
    const known = this.placeholders.get(random);
    if (known !== undefined) return known;
    const count = (this.counts.get(pattern) ?? 0) + 1;
    this.counts.set(pattern, count);
    this.placeholders.set(random, placeholder(count));
    return placeholder(count);
  }
}
