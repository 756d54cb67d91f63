import { Unjudged } from '../http/request-fields.js';
import { aText, oneOf } from './fields.js';
import { setUpBody, type Resource } from './resource.js';

const FIELDS = { code: aText(), name: aText(), kind: oneOf(['cash', 'bank_transfer', 'card', 'other']) };

class PutPaymentMethods {
  @Unjudged(setUpBody({ fields: FIELDS })) payment_methods?: unknown;
}

export const PAYMENT_METHODS: Resource = {
  name: 'payment_methods',
  area: 'PaymentMethods',
  shapeName: 'PaymentMethod',
  what: 'payment methods',
  fields: FIELDS,
  body: PutPaymentMethods,
};
