import type { StockCallOptions, StockCallResult } from '@back-office/stock';
import { Type } from '@sinclair/typebox';
import { boolean, described, integer, listOf } from '../http/shapes.js';

export const callShapes = {
  movement_ids: Type.Optional(described(listOf(integer), 'of a call with a `reference`: one id per warehouse')),
  repeated: Type.Optional(described(boolean, 'true: an earlier call with this `reference` wrote the rows')),
};

interface StockCallBody {
  readonly reference?: string | null;
  readonly all_or_nothing?: boolean | null;
}

export function parseCallOptions(body: StockCallBody): Pick<StockCallOptions, 'reference' | 'allOrNothing'> {
  return { reference: body.reference?.trim() ?? null, allOrNothing: body.all_or_nothing ?? false };
}

export function presentCall(
  { reference }: StockCallOptions,
  { movementIds, isRepeat }: Pick<StockCallResult, 'movementIds' | 'isRepeat'>,
): object {
  return { ...(reference && { movement_ids: movementIds }), ...(isRepeat && { repeated: true }) };
}
