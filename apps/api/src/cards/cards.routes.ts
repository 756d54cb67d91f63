import { ALREADY_TAKEN, isBlank, isRefusal } from '@back-office/kernel';
import type { Cards } from '@back-office/customers';
import { CustomerNameFields, parseCustomerIdentifier } from '../customers/index.js';
import { answerWith, created } from '../http/answer.js';
import { IsOptional, Length, MaxLength, Type, ValidateNested, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { integer, component, nullable, record, text, boolean } from '../http/shapes.js';

class CardFields extends CustomerNameFields {
  @Length(1, 255) barcode!: string;
  @IsOptional() @MaxLength(255) external_ref?: string | null;
}

class PostCard {
  @Wrapper() @ValidateNested() @Type(() => CardFields) card!: CardFields;
}

const CardShape = component('Card', {
  id: integer,
  data_part: integer,
  time_part: integer,
  barcode: text,
  external_ref: nullable(text),
  customer_id: nullable(integer),
  created: boolean,
});

export function cardRoutes(cards: Cards): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/cards',
      caller: 'app',
      scope: 'customers:write',
      summary: 'Upserts a card by barcode, else by reference; absent fields stay',
      body: PostCard,
      answers: { 201: record({ data: CardShape }) },
      refusals: ['API.Customers.NotFound', ALREADY_TAKEN],
      handle: async ({ app, body: { card: fields } }) => {
        const customer = parseCustomerIdentifier(fields);
        if (isRefusal(customer)) return customer;
        const externalRef = isBlank(fields.external_ref ?? '') ? null : (fields.external_ref as string);
        const result = await cards.put(app.id, { barcode: fields.barcode, externalRef, customer });
        return answerWith(result, ({ card, created: isNew }) => created({ ...card, created: isNew }));
      },
    }),
  ];
}
