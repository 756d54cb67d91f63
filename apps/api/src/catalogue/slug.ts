import { LONGEST_STRING } from '@back-office/kernel';
import { asciiOf } from '../database/search-text.js';

const LONGEST_SLUG = 200;

/** A name as a path segment: ASCII letters, digits and single hyphens. Empty when nothing of the name is left. */
export function slugOf(name: string): string {
  return asciiOf(name)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^-|-$/g, '');
}

/** Slugs to try for a product without one of its own, the nicest first. */
export function slugCandidates(name: string, code: string): string[] {
  const base = slugOf(name) || 'product';
  const end = `-${slugOf(code) || 'x'}`;
  // The code is what tells them apart, so that it is the name that is cut.
  return [base, base.slice(0, LONGEST_STRING - end.length) + end];
}
