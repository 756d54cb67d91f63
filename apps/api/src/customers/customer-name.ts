import { refuse, type Refusal } from '@back-office/kernel';
import { CANT_BE_BLANK, RecordId, Text } from '../http/request-fields.js';

const optional = true;

/** How a body names a customer: by the three parts of its id, or by the client's own reference. */
export class CustomerNameFields {
  @RecordId({ optional }) customer_id?: number | null;
  @RecordId({ optional }) data_part?: number | null;
  @RecordId({ optional }) time_part?: number | null;
  @Text({ optional }) customer_external_ref?: string | null;
}

export type CustomerName =
  | { readonly id: number; readonly dataPart: number; readonly timePart: number; readonly externalRef?: undefined }
  | { readonly externalRef: string };

/** The customer that a body names, `null` when it names none; refused when an id comes without both parts. */
export function customerNameOf(fields: CustomerNameFields): CustomerName | null | Refusal {
  const { customer_id: id, data_part: dataPart, time_part: timePart, customer_external_ref: externalRef } = fields;
  if (isGiven(id)) {
    if (!isGiven(dataPart)) return refuse(CANT_BE_BLANK, 'data_part');
    return isGiven(timePart) ? { id, dataPart, timePart } : refuse(CANT_BE_BLANK, 'time_part');
  }
  return isGiven(externalRef) ? { externalRef } : null;
}

/** Empty identifiers name nothing. */
function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined && value !== '';
}
