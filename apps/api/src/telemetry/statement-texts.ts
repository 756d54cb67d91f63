import type { Attributes } from '@opentelemetry/api';
import { summarize } from './statement-summary.js';

const MAX_TEXT_LENGTH = 2_048;
/** Further texts are described again at each use, because filters make thousands of texts. */
const MAX_KNOWN_TEXTS = 500;

export interface StatementDescription {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Describes statements by their texts, which contain no values. */
export class StatementTexts {
  private readonly known = new Map<string, StatementDescription>();

  describe(text: string): StatementDescription {
    const known = this.known.get(text);
    if (known) return known;
    const description = describe(text);
    if (this.known.size < MAX_KNOWN_TEXTS) this.known.set(text, description);
    return description;
  }
}

function describe(text: string): StatementDescription {
  const { operation, table } = summarize(text);
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.text': text.slice(0, MAX_TEXT_LENGTH),
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
  };
  return { name: table === undefined ? operation : `${operation} ${table}`, attributes };
}
