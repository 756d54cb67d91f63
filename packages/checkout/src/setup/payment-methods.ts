import { textField, choiceField } from './fields.js';

export const PAYMENT_METHODS = {
  area: 'PaymentMethods',
  fields: { code: textField(), name: textField(), kind: choiceField(['cash', 'bank_transfer', 'card', 'other']) },
};
