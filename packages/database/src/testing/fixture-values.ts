export const CURRENCY = 'RSD';
export const MEDIA = { media: { prefix: 'contract' } };

let latest = 0;

/** Returns a text that is unique in this process. */
export function unique(prefix: string): string {
  latest += 1;
  return `${prefix}-${latest}`;
}

export function idOf(record: { readonly id: number | null } | undefined): number {
  if (typeof record?.id !== 'number') throw new Error('Nothing was written');
  return record.id;
}
