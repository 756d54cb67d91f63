import { checkText, MAX_STRING_LENGTH } from '@back-office/kernel';
import { ValidatedBy, type Validator } from './request-fields.js';

const validate: Validator = (value) =>
  checkText(typeof value === 'string' ? value.trim() : value, MAX_STRING_LENGTH, false);

const SCHEMA = { type: 'string' as const, minLength: 1, maxLength: MAX_STRING_LENGTH };

/** A reference of another system: a text that is not blank, without the spaces around it. */
export function Reference(): PropertyDecorator {
  return ValidatedBy(validate, SCHEMA);
}
