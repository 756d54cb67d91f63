import { MAX_STRING_LENGTH } from '@back-office/kernel';

const MAX_SLUG_LENGTH = 200;

export interface SlugTools {
  readonly asciiOf: (text: string) => string;
  readonly randomSuffix: () => string;
}

function slugOf(name: string, asciiOf: SlugTools['asciiOf']): string {
  return asciiOf(name)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-|-$/g, '');
}

export function slugCandidates(name: string, code: string, asciiOf: SlugTools['asciiOf']): string[] {
  const base = slugOf(name, asciiOf) || 'product';
  const suffix = `-${slugOf(code, asciiOf) || 'x'}`;
  // Truncates only the name, because the code makes the slug unique.
  return [base, base.slice(0, MAX_STRING_LENGTH - suffix.length) + suffix];
}

/** Generates free slugs from names and codes. */
export class SlugGenerator {
  /** All slugs that were generated so far. */
  readonly generatedSlugs = new Set<string>();

  constructor(private readonly tools: SlugTools) {}

  generate(name: string, code: string, isTaken: (slug: string) => boolean): string {
    const candidates = slugCandidates(name, code, this.tools.asciiOf);
    const freeCandidate = candidates.find((slug) => !isTaken(slug));
    const slug = freeCandidate ?? `${candidates[0]}-${this.tools.randomSuffix()}`;
    this.generatedSlugs.add(slug);
    return slug;
  }
}
