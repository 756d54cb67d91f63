import type { DomainEvent } from '@back-office/kernel';
import type { ProductDraft } from './product-drafts.js';

/** Changes of variants and images are published as events of their product. */
export function productEvents(changed: readonly ProductDraft[], created: readonly ProductDraft[]): DomainEvent[] {
  return [
    ...changed.map(({ id }): DomainEvent => ({ type: 'product.updated', recordId: id })),
    ...created.map(({ id }): DomainEvent => ({ type: 'product.created', recordId: id })),
  ];
}
