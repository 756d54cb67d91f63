import type { CustomerIdentifier } from '@back-office/customers';
import { CANT_BE_BLANK, type Refusal, refuse } from '@back-office/kernel';
import { IsOptional, IsRecordId, MaxLength } from '../http/request-fields.js';

export class CustomerNameFields {
  @IsOptional() @IsRecordId() customer_id?: number | null;
  @IsOptional() @IsRecordId() data_part?: number | null;
  @IsOptional() @IsRecordId() time_part?: number | null;
  @IsOptional() @MaxLength(255) customer_external_ref?: string | null;
}

/** Returns null when the fields identify no customer; refuses an id without `data_part` and `time_part`. */
export function parseCustomerIdentifier(fields: CustomerNameFields): CustomerIdentifier | null | Refusal {
  const { customer_id: id, data_part: dataPart, time_part: timePart, customer_external_ref: externalRef } = fields;
  if (isPresent(id)) {
    if (!isPresent(dataPart)) return refuse(CANT_BE_BLANK, 'data_part');
    return isPresent(timePart) ? { id, dataPart, timePart } : refuse(CANT_BE_BLANK, 'time_part');
  }
  return isPresent(externalRef) ? { externalRef } : null;
}

function isPresent<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined && value !== '';
}
