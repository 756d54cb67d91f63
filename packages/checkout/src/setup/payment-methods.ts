import { aText, oneOf } from './fields.js';

export const PAYMENT_METHODS = {
  area: 'PaymentMethods',
  fields: { code: aText(), name: aText(), kind: oneOf(['cash', 'bank_transfer', 'card', 'other']) },
};
