import { createHash } from 'node:crypto';
import { isInvalidPosition, parsePage, type ListedPage, type Page, type Position } from '@back-office/kernel';
import type { Answer } from './answer.js';
import { invalidParameter } from './errors.js';
import { text } from './shapes.js';

type Query = Readonly<Record<string, unknown>>;

export const CURSOR = {
  cursor: {
    schema: text,
    description:
      'value of the header Next-Cursor of the page before: lists what follows, also when rows change meanwhile. ' +
      'Send the same filters and order; the offset or page number is ignored. A cursor of another order is answered 400',
  },
};

const MAX_CURSOR_LENGTH = 16_384;
const MAX_ORDER_LENGTH = 200;

/**
 * Lists a page from `offset` or after `cursor`, and adds the header `Next-Cursor` when more rows may follow. Throws 400
 * for an unreadable cursor and for a cursor of a different `orderBy`.
 */
export async function answerPage(
  query: Query,
  page: Page,
  list: (page: Page) => Promise<ListedPage>,
  orderParameter = 'orderBy',
): Promise<Answer> {
  const orderBy = query[orderParameter];
  const order = shortenOrder(typeof orderBy === 'string' ? orderBy : '');
  const after = parseCursor(query['cursor'], order);
  try {
    const { json, end } = await list(after ? { offset: 0, limit: page.limit, after } : page);
    const headers = end === null ? {} : { 'Next-Cursor': formatCursor(order, end) };
    return { status: 200, text: `{"data":${json}}`, headers };
  } catch (error) {
    throw isInvalidPosition(error) ? invalidParameter('cursor') : error;
  }
}

export function answerPageFromQuery(
  query: Query,
  defaultLimit: number,
  list: (page: Page) => Promise<ListedPage>,
): Promise<Answer> {
  return answerPage(query, parsePage(query, defaultLimit), list);
}

/** Some clients and proxies refuse long headers, so the cursor contains a hash of a long order. */
function shortenOrder(order: string): string {
  return order.length <= MAX_ORDER_LENGTH ? order : createHash('sha256').update(order).digest('base64url');
}

function formatCursor(order: string, position: Position): string {
  return Buffer.from(JSON.stringify([order, ...position])).toString('base64url');
}

function parseCursor(value: unknown, order: string): Position | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || value.length > MAX_CURSOR_LENGTH) throw invalidParameter('cursor');
  const [cursorOrder, ...position] = parseTexts(Buffer.from(value, 'base64url').toString());
  if (cursorOrder !== order) throw invalidParameter('cursor');
  return position;
}

function parseTexts(json: string): (string | null)[] {
  try {
    const texts: unknown = JSON.parse(json);
    if (Array.isArray(texts) && texts.every((entry) => entry === null || typeof entry === 'string'))
      return texts as (string | null)[];
  } catch {
    // All unreadable cursors get the same answer.
  }
  throw invalidParameter('cursor');
}
