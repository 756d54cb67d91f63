import { stockEvents, type DomainEvent } from '@back-office/kernel';
import type { StockChange } from './stock-plan.js';

export function stockChangeEvents(changes: readonly StockChange[]): DomainEvent[] {
  return stockEvents(changes.filter(({ delta }) => delta !== 0));
}
