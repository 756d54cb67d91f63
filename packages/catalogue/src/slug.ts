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
