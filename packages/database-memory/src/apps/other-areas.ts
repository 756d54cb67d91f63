import { DEFAULT_PAYMENT_METHODS } from '@back-office/apps';
import { DEFAULT_PRESET } from '@back-office/media';
import type { State } from '../state.js';

export function addDefaultRecords(state: State, appId: number, now: Date): void {
  const dates = { inserted_at: now, updated_at: now };
  for (const { kind, name } of DEFAULT_PAYMENT_METHODS)
    state.paymentMethods.insert(appId, { code: kind, name, kind, ...dates });
  const { name, outputFormat, maxWidth, quality, renditionWidths } = DEFAULT_PRESET;
  state.uploadPresets.insert(appId, {
    name,
    output_format: outputFormat,
    max_width: maxWidth,
    quality,
    rendition_widths: renditionWidths,
    is_default: true,
    ...dates,
  });
}

export function hasAmounts(state: State, appId: number): boolean {
  return state.pricedTables.some((table) => table.all(appId).length > 0);
}

export function hasWarehouse(state: State, appId: number, code: string): boolean {
  const warehouse = state.warehouses.find(
    appId,
    (candidate) => candidate.code === code && candidate.deleted_at === null,
  );
  return warehouse !== undefined;
}
