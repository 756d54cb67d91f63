import { hasAnyScope, minorUnitsOf, type AppContext, type Scope } from '@back-office/apps';
import { IS_INVALID, isBlank, isRefusal, parseMoment, type CustomerIdentifier } from '@back-office/kernel';
import type { ImportedOrder, ImportedOrders, Order, OrderQueries } from '@back-office/orders';
import { CustomerNameFields, parseCustomerIdentifier } from '../customers/index.js';
import { created } from '../http/answer.js';
import { fieldErrorsAnswer, type FieldErrors } from '../http/errors.js';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsDateTime,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsRecordId,
  Length,
  Max,
  MaxLength,
  Min,
  Type,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { record, text } from '../http/shapes.js';
import { WrongTypesShape } from '../http/wrong-types.js';
import { OrderShape, presentOrder } from './order.js';

class ImportedItemFields {
  @IsOptional() @MaxLength(255) code?: string | null;
  @IsOptional() @MaxLength(255) barcode?: string | null;
  @IsOptional() @MaxLength(255) external_ref?: string | null;
  @IsInt() @Min(1) @Max(1_000_000) qty!: number;
  @IsOptional() @IsNumber() @Min(0) price?: number | null;
}

class ImportedPaymentFields {
  @IsRecordId() payment_method_id!: number;
  @IsNumber() @IsPositive() amount!: number;
}

class ImportedOrderFields extends CustomerNameFields {
  @IsOptional() @MaxLength(255) order_number?: string | null;
  @Length(1, 255) external_ref!: string;
  @IsOptional() @IsDateTime() order_date?: string | null;
  @IsOptional() @MaxLength(255) app_location_code?: string | null;
  @ValidateNested({ each: true })
  @Type(() => ImportedItemFields)
  @ArrayNotEmpty()
  @ArrayMaxSize(1_000)
  items!: ImportedItemFields[];
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => ImportedPaymentFields)
  @ArrayMaxSize(1_000)
  payments?: ImportedPaymentFields[] | null;
}

class PostOrder {
  @Wrapper() @ValidateNested() @Type(() => ImportedOrderFields) order!: ImportedOrderFields;
}

const ORDER_REFUSALS = ['OrderAlreadyExists', 'AppLocationNotFound', 'ProductNotFound'].map(
  (rule) => `API.Order.${rule}`,
);

const BareRefusal = record({ error: text });

const READING_SCOPES: readonly Scope[] = ['orders:read', 'customers:read'];
/** Otherwise a token that only writes could read the customer whom a reference names. */
const NO_CUSTOMER = {
  customer_email: null,
  customer_first_name: null,
  customer_last_name: null,
  customer_phone: null,
};

export function importedOrderRoutes(importedOrders: ImportedOrders, orders: OrderQueries): Route[] {
  return [
    route({
      method: 'post',
      path: '/int/orders',
      caller: 'app',
      scope: 'orders:write',
      summary: 'Imports an order of another system; its stock is neither reserved nor shipped',
      body: PostOrder,
      listsWrongTypes: true,
      failures: { 400: WrongTypesShape, 422: BareRefusal },
      answers: { 201: record({ data: OrderShape }) },
      refusals: [
        ...ORDER_REFUSALS,
        'API.Customers.NotFound',
        'API.Products.MissingPrice',
        'API.PaymentMethod.NotSupported',
      ],
      handle: async ({ app, scopes, body: { order } }) => {
        const errors = checkDecimals(app, order);
        if (Object.keys(errors).length > 0) return fieldErrorsAnswer(errors, app);
        const customer = parseCustomerIdentifier(order);
        if (isRefusal(customer)) return customer;
        const addedOrder = await importedOrders.add(app.id, parseImport(app, order, customer));
        if (isRefusal(addedOrder)) return addedOrder;
        const presented = presentOrder(app, (await orders.find(app.id, addedOrder.id)) as Order);
        return created(hasAnyScope(scopes, READING_SCOPES) ? presented : { ...presented, ...NO_CUSTOMER });
      },
    }),
  ];
}

function checkDecimals(app: AppContext, { items, payments }: ImportedOrderFields): FieldErrors {
  const amounts = [
    ...items.map(({ price }, index) => [`items.${index}.price`, price ?? 0] as const),
    ...(payments ?? []).map(({ amount }, index) => [`payments.${index}.amount`, amount] as const),
  ];
  const invalidAmounts = amounts.filter(([, amount]) => minorUnitsOf(app, amount) === undefined);
  return Object.fromEntries(invalidAmounts.map(([field]) => [field, [IS_INVALID]]));
}

function parseImport(app: AppContext, fields: ImportedOrderFields, customer: CustomerIdentifier | null): ImportedOrder {
  const toMinor = (amount: number): number => minorUnitsOf(app, amount) as number;
  return {
    orderNumber: blankToNull(fields.order_number),
    externalRef: fields.external_ref,
    orderDate: parseMoment(fields.order_date ?? '')?.at ?? null,
    locationCode: blankToNull(fields.app_location_code),
    customer,
    items: fields.items.map(({ price, ...item }) => ({
      ...item,
      price: typeof price === 'number' ? toMinor(price) : null,
    })),
    payments: (fields.payments ?? []).map(({ payment_method_id: methodId, amount }) => ({
      methodId,
      amount: toMinor(amount),
    })),
    currency: app.currency,
  };
}

function blankToNull(field: string | null | undefined): string | null {
  return isBlank(field ?? '') ? null : (field as string);
}
