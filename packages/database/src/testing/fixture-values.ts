export const CURRENCY = 'RSD';
export const MEDIA = { media: { prefix: 'contract' } };

let lastNumber = 0;

export function unique(prefix: string): string {
  lastNumber += 1;
  return `${prefix}-${lastNumber}`;
}

export function idOf(record: { readonly id: number | null } | undefined): number {
  if (typeof record?.id !== 'number') throw new Error('Nothing was written');
  return record.id;
}
