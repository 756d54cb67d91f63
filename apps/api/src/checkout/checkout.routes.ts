import { money, type AppContext } from '@back-office/apps';
import type { Basket, EvaluatedBasket, EvaluationQueries, Evaluations } from '@back-office/checkout';
import {
  currencyNumber,
  formatDateTime,
  isRefusal,
  type Address,
  type Buyer,
  type CustomerIdentifier,
} from '@back-office/kernel';
import { promotionTotals } from '@back-office/proforma';
import { CustomerNameFields, parseCustomerIdentifier } from '../customers/index.js';
import { answerWith, created, ok } from '../http/answer.js';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  EMAIL_OR_BLANK,
  IsInt,
  IsOptional,
  IsRecordId,
  IsTexts,
  Matches,
  Max,
  MAX_INTEGER,
  MaxLength,
  Min,
  Type,
  ValidateNested,
  Wrapper,
} from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { dateTime, integer, listOf, component, nullable, number, record, text, type TypeOf } from '../http/shapes.js';
import { FeeItemShape, toPercent, presentFee, presentPromotion, PromotionShape } from '../sales/index.js';

const MAX_CODES_PER_KIND = 20;

class AddressFields {
  @IsOptional() @MaxLength(255) address_line_1?: string | null;
  @IsOptional() @MaxLength(255) city?: string | null;
  @IsOptional() @MaxLength(255) postcode?: string | null;
  @IsOptional() @MaxLength(255) country?: string | null;
}

class GuestFields extends AddressFields {
  @IsOptional() @MaxLength(255) @Matches(EMAIL_OR_BLANK) email?: string | null;
  @IsOptional() @MaxLength(255) first_name?: string | null;
  @IsOptional() @MaxLength(255) last_name?: string | null;
  @IsOptional() @MaxLength(255) phone?: string | null;
}

class ItemFields {
  @IsOptional() @MaxLength(255) code?: string | null;
  @IsOptional() @MaxLength(255) barcode?: string | null;
  @IsOptional() @MaxLength(255) external_ref?: string | null;
  @IsOptional() @IsRecordId() product_variant_id?: number | null;
  @IsInt() @Min(1) @Max(1_000_000) qty!: number;
}

class OrderProcessingFields extends CustomerNameFields {
  @IsOptional() @ValidateNested() @Type(() => GuestFields) guest?: GuestFields | null;
  @IsOptional() @ValidateNested() @Type(() => AddressFields) delivery?: AddressFields | null;
  @ValidateNested({ each: true }) @Type(() => ItemFields) @ArrayNotEmpty() @ArrayMaxSize(1_000) items!: ItemFields[];
  @IsOptional() @MaxLength(255) shipment_method_code?: string | null;
  @IsOptional() @MaxLength(255) pickup_point_code?: string | null;
  @IsOptional() @IsTexts(MAX_CODES_PER_KIND) coupon_codes?: string[] | null;
  @IsOptional() @IsTexts(MAX_CODES_PER_KIND) voucher_codes?: string[] | null;
  @IsOptional() @MaxLength(255) warehouse_code?: string | null;
  @IsOptional() @IsInt() @Min(1) @Max(MAX_INTEGER) market_id?: number | null;
  @IsOptional() @IsInt() @Min(1) @Max(MAX_INTEGER) sales_channel_id?: number | null;
  @IsOptional() @MaxLength(255) sales_channel?: string | null;
  @IsOptional() @MaxLength(5_000) comment?: string | null;
  @IsOptional() @IsTexts(50, 100, { canBeSpaces: true }) tags?: string[] | null;
}

class PostOrderProcessing {
  @Wrapper() @ValidateNested() @Type(() => OrderProcessingFields) order_processing!: OrderProcessingFields;
}

const EvaluationShape = component('OrderProcessing', {
  id: integer,
  items: listOf(
    record({
      product_id: integer,
      product_variant_id: integer,
      code: nullable(text),
      barcode: nullable(text),
      name: text,
      qty: integer,
      price: number,
      vat_rate: nullable(number),
      sales: number,
      discount: number,
      end_sales: number,
      promotions: listOf(PromotionShape),
    }),
  ),
  fee_items: listOf(FeeItemShape),
  promotions: listOf(PromotionShape),
  vouchers: listOf(record({ code: text, amount: number })),
  sales: number,
  discount: number,
  net_sales: number,
  vat: number,
  end_sales: number,
  currency_id: integer,
  expires_at: dateTime,
});

export function checkoutRoutes(evaluations: Evaluations, queries: EvaluationQueries): Route[] {
  return [
    route({
      method: 'post',
      path: '/order_processings',
      caller: 'app',
      scope: 'checkout:write',
      extension: true,
      summary: 'Evaluates a basket: prices it and keeps the result for 24 hours; reserves nothing',
      body: PostOrderProcessing,
      answers: { 201: record({ data: EvaluationShape }) },
      refusals: [
        'API.Customers.NotFound',
        'API.Warehouses.NotFound',
        'API.Products.NotFound',
        'API.Products.MissingPrice',
        'API.ShipmentMethods.NotFound',
        'API.Promotions.CouponNotFound',
        'API.Vouchers.NotAvailable',
      ],
      handle: async ({ app, body }) => {
        const fields = body.order_processing;
        const customer = parseCustomerIdentifier(fields);
        if (isRefusal(customer)) return customer;
        const result = await evaluations.evaluate(app.id, parseBasket(app, fields, customer));
        return answerWith(result, (evaluation) => created(presentEvaluation(app, evaluation)));
      },
    }),
    route({
      method: 'get',
      path: '/order_processings/:id',
      caller: 'app',
      scope: 'checkout:read',
      extension: true,
      summary: 'One evaluation, as it was calculated',
      answers: { 200: record({ data: EvaluationShape }) },
      handle: async ({ app, id }) =>
        answerWith(await queries.find(app.id, id), (evaluation) => ok(presentEvaluation(app, evaluation))),
    }),
  ];
}

function parseBasket(app: AppContext, fields: OrderProcessingFields, customer: CustomerIdentifier | null): Basket {
  const guest = fields.guest ?? {};
  return {
    items: fields.items,
    customer,
    guest: buyerOf(guest),
    delivery: addressOf(fields.delivery ?? {}) ?? addressOf(guest),
    warehouseCode: emptyToNull(fields.warehouse_code),
    shipmentMethodCode: emptyToNull(fields.shipment_method_code),
    pickupPointCode: emptyToNull(fields.pickup_point_code),
    coupons: [...new Set(fields.coupon_codes)],
    vouchers: [...new Set(fields.voucher_codes)],
    currency: app.currency,
    marketId: fields.market_id ?? 1,
    salesChannelId: fields.sales_channel_id ?? 1,
    salesChannel: fields.sales_channel ?? 'web',
    comment: fields.comment ?? null,
    tags: [...new Set(fields.tags)],
  };
}

function buyerOf(guest: GuestFields): Buyer {
  const { email = null, first_name: firstName = null, last_name: lastName = null, phone = null } = guest;
  return { id: null, dataPart: null, timePart: null, email, firstName, lastName, phone };
}

/** Returns null for a blank address, so that the guest's address is used as the delivery address. */
function addressOf(fields: AddressFields): Address | null {
  const { address_line_1 = null, city = null, postcode = null, country = null } = fields;
  const address = { address_line_1, city, postcode, country };
  return Object.values(address).every((part) => part === null || part.trim() === '') ? null : address;
}

function emptyToNull(code: string | null | undefined): string | null {
  return code === undefined || code === '' ? null : code;
}

function presentEvaluation(app: AppContext, evaluation: EvaluatedBasket): TypeOf<typeof EvaluationShape> {
  const amount = money(app);
  return {
    id: evaluation.id,
    items: evaluation.items.map((line) => ({
      product_id: line.productId,
      product_variant_id: line.variantId,
      code: line.code,
      barcode: line.barcode,
      name: line.name,
      qty: line.qty,
      price: amount(line.price),
      vat_rate: toPercent(line.vatRate),
      sales: amount(line.sales),
      discount: amount(line.discount),
      end_sales: amount(line.sales - line.discount),
      promotions: line.promotions.map((promotion) => presentPromotion(promotion, amount)),
    })),
    fee_items: evaluation.fees.map((fee) => presentFee(fee, amount)),
    promotions: promotionTotals(evaluation.items, evaluation.promotions).map((promotion) =>
      presentPromotion(promotion, amount),
    ),
    vouchers: evaluation.vouchers.map((voucher) => ({ code: voucher.code, amount: amount(voucher.amount) })),
    sales: amount(evaluation.sales),
    discount: amount(evaluation.discount),
    net_sales: amount(evaluation.net_sales),
    vat: amount(evaluation.vat),
    end_sales: amount(evaluation.end_sales),
    currency_id: currencyNumber(evaluation.currency),
    expires_at: formatDateTime(evaluation.expires_at),
  };
}
