import { isBlank, isRefusal, parseMoment } from '@back-office/kernel';
import { CustomerNameFields, customerNameOf, type CustomerName } from '../customers/index.js';
import { created } from '../http/answer.js';
import { minorOf, type AppContext } from '../http/app-context.js';
import { fieldErrorsAnswer, type FieldErrors } from '../http/errors.js';
import {
  Amount,
  DateTime,
  IS_INVALID,
  JudgedBy,
  ListOf,
  MALFORMED,
  MUST_BE_POSITIVE,
  RecordId,
  Text,
  Whole,
  Wrapper,
  type Judge,
} from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { record, text } from '../http/shapes.js';
import { WrongTypesShape } from '../http/wrong-types.js';
import type { ImportedOrder } from './imported-order.js';
import { OrderShape, presentOrder, type OrderRow } from './order.js';
import type { TypeOrmImportedOrders } from './typeorm-imported-orders.js';
import type { TypeOrmOrders } from './typeorm-orders.js';

const optional = true;

const judgePaid: Judge = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return MALFORMED;
  return value > 0 ? undefined : MUST_BE_POSITIVE;
};

class ImportedItemFields {
  @Text({ optional }) code?: string | null;
  @Text({ optional }) barcode?: string | null;
  @Text({ optional }) external_ref?: string | null;
  @Whole({ min: 1, max: 1_000_000 }) qty!: number;
  @Amount({ min: 0, optional }) price?: number | null;
}

class ImportedPaymentFields {
  @RecordId() payment_method_id!: number;
  @JudgedBy(judgePaid, { type: 'number', exclusiveMinimum: 0 }) amount!: number;
}

class ImportedOrderFields extends CustomerNameFields {
  @Text({ optional }) order_number?: string | null;
  @Text() external_ref!: string;
  @DateTime({ optional }) order_date?: string | null;
  @Text({ optional }) app_location_code?: string | null;
  @ListOf(() => ImportedItemFields) items!: ImportedItemFields[];
  @ListOf(() => ImportedPaymentFields, { optional }) payments?: ImportedPaymentFields[] | null;
}

class PostOrder {
  @Wrapper(() => ImportedOrderFields) order!: ImportedOrderFields;
}

const NAMED_REFUSALS = ['OrderAlreadyExists', 'AppLocationNotFound', 'ProductNotFound'].map(
  (what) => `API.Order.${what}`,
);

const BareRefusal = record({ error: text });

export function importedOrderRoutes(imported: TypeOrmImportedOrders, orders: TypeOrmOrders): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/orders',
      caller: 'app',
      summary: 'Takes over an order of another system; stock is neither taken nor reserved',
      body: PostOrder,
      namesWrongTypes: true,
      failures: { 400: WrongTypesShape, 422: BareRefusal },
      answers: { 201: record({ data: OrderShape }) },
      refusals: [
        ...NAMED_REFUSALS,
        'API.Customers.NotFound',
        'API.Products.MissingPrice',
        'API.PaymentMethod.NotSupported',
      ],
      handle: async ({ app, body: { order } }) => {
        const wrong = unfitAmounts(app, order);
        if (Object.keys(wrong).length > 0) return fieldErrorsAnswer(wrong, app);
        const customer = customerNameOf(order);
        if (isRefusal(customer)) return customer;
        const added = await imported.add(app.id, importOf(app, order, customer));
        if (isRefusal(added)) return added;
        return created(presentOrder(app, (await orders.find(app.id, added.id)) as OrderRow));
      },
    }),
  ];
}

/** Amounts that the app's currency cannot express, by field. */
function unfitAmounts(app: AppContext, { items, payments }: ImportedOrderFields): FieldErrors {
  const amounts = [
    ...items.map(({ price }, index) => [`items.${index}.price`, price ?? 0] as const),
    ...(payments ?? []).map(({ amount }, index) => [`payments.${index}.amount`, amount] as const),
  ];
  const unfit = amounts.filter(([, amount]) => minorOf(app, amount) === undefined);
  return Object.fromEntries(unfit.map(([field]) => [field, [IS_INVALID]]));
}

function importOf(app: AppContext, fields: ImportedOrderFields, customer: CustomerName | null): ImportedOrder {
  const minor = (amount: number): number => minorOf(app, amount) as number;
  return {
    orderNumber: given(fields.order_number),
    externalRef: fields.external_ref,
    orderDate: parseMoment(fields.order_date ?? '')?.at ?? null,
    locationCode: given(fields.app_location_code),
    customer,
    items: fields.items.map(({ price, ...item }) => ({
      ...item,
      price: typeof price === 'number' ? minor(price) : null,
    })),
    payments: (fields.payments ?? []).map(({ payment_method_id: methodId, amount }) => ({
      methodId,
      amount: minor(amount),
    })),
    currency: app.currency,
  };
}

/** A blank text is none. */
function given(sent: string | null | undefined): string | null {
  return isBlank(sent ?? '') ? null : (sent as string);
}
