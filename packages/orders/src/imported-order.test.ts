import { priceImport, type ImportedOrder, type ImportedVariant, type ReferencedRecords } from './imported-order.js';

const SHIRT: ImportedVariant = {
  id: 1,
  product_id: 2,
  code: 'A',
  barcode: null,
  external_ref: null,
  name: 'Shirt',
  price: 1200,
  vat_rate: 2000,
};
const ORDER: ImportedOrder = {
  orderNumber: null,
  externalRef: 'R-1',
  orderDate: null,
  locationCode: null,
  customer: null,
  items: [{ code: 'A', qty: 2, price: null }],
  payments: [{ methodId: 5, amount: 5000 }],
  currency: 'RSD',
};
const REFERENCED_RECORDS: ReferencedRecords = {
  currency: 'RSD',
  customer: null,
  location_id: null,
  variants: [SHIRT],
  methods: [{ id: 5, name: 'Cash', kind: 'cash' }],
};

const priceOrder = (order: Partial<ImportedOrder> = {}, variant: ImportedVariant = SHIRT) =>
  priceImport({ ...ORDER, ...order }, REFERENCED_RECORDS, ({ code }) => (code === variant.code ? variant : undefined));

describe('an imported order', () => {
  it('uses the price of the catalogue when it states none, and keeps the paid amount', () => {
    expect(priceOrder()).toMatchObject({
      lines: [{ price: 1200, sales: 2400 }],
      totals: { endSales: 2400 },
      paidAmount: 5000,
    });
  });

  it('keeps the price that the order states', () => {
    expect(priceOrder({ items: [{ code: 'A', qty: 1, price: 0 }] })).toMatchObject({ totals: { endSales: 0 } });
  });

  it.each<[Partial<ImportedOrder>, string]>([
    [{ customer: { externalRef: 'nobody' }, locationCode: 'nowhere' }, 'API.Customers.NotFound'],
    [{ locationCode: 'nowhere', items: [{ code: 'B', qty: 1, price: 1 }] }, 'API.Order.AppLocationNotFound'],
    [{ items: [{ code: 'B', qty: 1, price: 1 }], payments: [{ methodId: 6, amount: 1 }] }, 'API.Order.ProductNotFound'],
    [{ payments: [{ methodId: 6, amount: 1 }] }, 'API.PaymentMethod.NotSupported'],
  ])('is refused because of the first missing record: %j', (order, expectedKey) => {
    expect(priceOrder(order)).toMatchObject({ refused: expectedKey });
  });

  it('is refused without a price', () => {
    expect(priceOrder({}, { ...SHIRT, price: null })).toMatchObject({ refused: 'API.Products.MissingPrice' });
  });
});
