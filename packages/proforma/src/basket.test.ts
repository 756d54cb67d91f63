import { isRefusal, MAX_AMOUNT } from '@back-office/kernel';
import { priceBasket, type Offers, type PricedBasket, type SoldVariant } from './basket.js';

const SHIRT: SoldVariant = {
  id: 7,
  productId: 5,
  code: 'SHIRT',
  barcode: null,
  name: 'Shirt',
  price: 1_200,
  vatRate: 2_000,
  active: true,
};
const NO_OFFERS: Offers = {
  rules: [],
  coupons: [],
  shipment: null,
  vouchers: [],
  now: new Date('2026-11-22T12:00:00Z'),
};
const COURIER = { name: 'Courier', price: 300, vatRate: 2_000, freeFrom: 2_400 };

const priceShirts = (qty: number, offers: Partial<Offers> = {}): PricedBasket => {
  const basket = priceBasket([{ variant: SHIRT, qty }], { ...NO_OFFERS, ...offers });
  if (isRefusal(basket)) throw new Error(basket.refused);
  return basket;
};
const priceVariant = (variant: SoldVariant | undefined, offers: Partial<Offers> = {}, qty = 1) =>
  priceBasket([{ variant, qty }], { ...NO_OFFERS, ...offers });

describe('priceBasket', () => {
  it('multiplies prices with quantities, VAT included', () => {
    const { lines, totals } = priceShirts(2);
    expect(lines).toMatchObject([{ variantId: 7, productId: 5, code: 'SHIRT', qty: 2, price: 1_200, sales: 2_400 }]);
    expect(totals).toEqual({ sales: 2_400, discount: 0, endSales: 2_400, netSales: 2_000, vat: 400 });
  });

  it('adds up its lines', () => {
    const basket = priceBasket(
      [1, 2].map((qty) => ({ variant: SHIRT, qty })),
      NO_OFFERS,
    ) as PricedBasket;
    expect(basket.totals.endSales).toBe(3_600);
  });

  it('prices a line without VAT at 0 %', () => {
    const basket = priceBasket([{ variant: { ...SHIRT, vatRate: null }, qty: 1 }], NO_OFFERS) as PricedBasket;
    expect([basket.lines[0]?.vatRate, basket.totals.vat]).toEqual([null, 0]);
  });
});

describe('priceBasket of an invalid basket', () => {
  it.each([
    ['an unknown variant', undefined, {}, 'API.Products.NotFound'],
    ['an inactive product', { ...SHIRT, active: false }, {}, 'API.Products.NotFound'],
    ['a product without a price', { ...SHIRT, price: null }, {}, 'API.Products.MissingPrice'],
    ['an unknown coupon', SHIRT, { coupons: ['NONE'] }, 'API.Promotions.CouponNotFound'],
    ['a spent voucher', SHIRT, { vouchers: [{ id: 1, code: 'V', available: 0 }] }, 'API.Vouchers.NotAvailable'],
  ] as const)('refuses %s', (_, variant, offers, key) => {
    expect(priceVariant(variant, offers)).toMatchObject({ refused: key });
  });

  it('refuses a total above the maximum', () => {
    expect(priceVariant({ ...SHIRT, price: MAX_AMOUNT }, {}, 2)).toMatchObject({ refused: 'is invalid' });
  });
});

describe('the shipment fee of a basket', () => {
  it('is added to the lines', () => {
    const { fees, totals } = priceShirts(1, { shipment: COURIER });
    expect(fees).toMatchObject([{ kind: 'shipment', name: 'Courier', price: 300, sales: 300 }]);
    expect(totals.endSales).toBe(1_500);
  });

  it('is 0 at its threshold and above', () => {
    const { fees, totals } = priceShirts(2, { shipment: COURIER });
    expect(fees).toMatchObject([{ name: 'Courier', price: 0, sales: 0 }]);
    expect(totals.endSales).toBe(2_400);
  });

  it('is never waived without a threshold', () => {
    expect(priceShirts(100, { shipment: { ...COURIER, freeFrom: null } }).fees).toMatchObject([{ price: 300 }]);
  });
});

describe('vouchers in an evaluation', () => {
  it('pay in the given order until the total is covered', () => {
    const vouchers = [
      { id: 1, code: 'A', available: 1_000 },
      { id: 2, code: 'B', available: 1_000 },
    ];
    expect(priceShirts(1, { vouchers }).vouchers).toEqual([
      { id: 1, code: 'A', amount: 1_000 },
      { id: 2, code: 'B', amount: 200 },
    ]);
  });
});
