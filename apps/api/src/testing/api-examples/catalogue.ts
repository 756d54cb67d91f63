import type { Scenario } from './scenario.js';

const TEE = {
  code: 'TEE',
  name: 'T-shirt',
  description: 'Cotton, 180 g/m²',
  price: 1_490,
  vat_rate: 20,
  variants: [
    { code: 'TEE-M', barcode: '8601234500017', name: 'M' },
    { code: 'TEE-L', barcode: '8601234500024', name: 'L' },
  ],
};
const MAIN = {
  code: 'MAIN',
  name: 'Main warehouse',
  address_line_1: 'Knez Mihailova 1',
  city: 'Beograd',
  postcode: '11000',
  market_id: 1,
};

export async function showCatalogue(scenario: Scenario): Promise<void> {
  await showWarehouses(scenario);
  const { shop, examples } = scenario;
  await examples.show(shop, 'A T-shirt in two sizes', 'post /int/products', { products: [TEE] });
  await examples.show(shop, 'One of two products fails', 'post /int/products', {
    products: [
      { code: 'CAP', name: 'Cap', price: 990, vat_rate: 20, variants: [{ code: 'CAP-1', barcode: '8601234500031' }] },
      { code: 'SOCKS', price: 390, vat_rate: 20 },
    ],
  });
  await examples.show(shop, 'First page', 'get /products');
  await examples.show(shop, 'Products of scanned barcodes', 'post /product/verify', {
    products: [{ barcode: '8601234500017' }, { code: 'TEE-XS' }],
  });
  await examples.show(shop, 'Set the material of a product', 'put /int/product_attributes', {
    product_attributes: [
      { code: 'TEE-M', attributes: [{ external_ref: 'material', name: 'Material', value: 'cotton' }] },
    ],
  });
  await examples.refuse(shop, 'Unknown product', 'put /int/product_attributes', {
    product_attributes: [{ code: 'TEE-XS', attributes: [{ external_ref: 'material', value: 'cotton' }] }],
  });
  await examples.show(shop, 'Attributes in use', 'get /product_attribute_defs');
  await showStock(scenario);
}

async function showWarehouses({ shop, examples }: Scenario): Promise<void> {
  await examples.show(shop, 'Main warehouse', 'put /warehouse', { warehouses: [MAIN] });
  await examples.refuse(shop, 'A new warehouse without an address', 'put /warehouse', {
    warehouses: [{ code: 'NS-01', name: 'Novi Sad, store', market_id: 1 }],
  });
  const store = {
    code: 'NS-01',
    name: 'Novi Sad, store',
    address_line_1: 'Zmaj Jovina 8',
    city: 'Novi Sad',
    postcode: '21000',
    market_id: 1,
  };
  await examples.show(shop, 'A store with its own stock', 'post /warehouses', { warehouse: store });
  await examples.refuse(shop, 'Code in use', 'post /warehouses', { warehouse: store });
  await examples.show(shop, 'Warehouses of the shop', 'get /warehouses');
}

async function showStock({ shop, examples }: Scenario): Promise<void> {
  await examples.show(shop, 'Ten pieces of each size', 'put /int/stocks', {
    stocks: [
      { code: 'TEE-M', warehouse_code: 'MAIN', qty: 10 },
      { barcode: '8601234500024', warehouse_code: 'MAIN', qty: 10, min_qty: 2 },
    ],
  });
  await examples.show(shop, 'One of two rows of a delivery note fails', 'put /int/stocks', {
    reference: 'delivery-4711',
    stocks: [
      { code: 'TEE-M', warehouse_code: 'NS-01', qty: 40 },
      { code: 'TEE-XS', warehouse_code: 'NS-01', qty: 5 },
    ],
  });
  await examples.refuse(shop, 'The delivery note with other rows', 'put /int/stocks', {
    reference: 'delivery-4711',
    stocks: [{ code: 'TEE-M', warehouse_code: 'NS-01', qty: 41 }],
  });
  await examples.show(shop, 'Stock by variant', 'get /stocks/aggregate');
  await examples.show(shop, 'Stock by variant and warehouse', 'get /stocks');
  await examples.refuse(shop, 'A warehouse id that is no number', 'get /stocks?warehouseId=MAIN');
  await examples.show(shop, 'Count the shelves', 'post /stock/reconcile', {
    warehouse_code: 'NS-01',
    products: [
      { sku: 'TEE-M', qty: 38 },
      { sku: 'TEE-L', qty: 12, expected_qty: 10 },
    ],
  });
  await examples.refuse(shop, 'Unknown warehouse', 'post /stock/reconcile', {
    warehouse_code: 'NS-02',
    products: [{ sku: 'TEE-M', qty: 38 }],
  });
  await examples.show(shop, 'Movements of a day', 'get /stock_movements?dateFrom=2026-11-21&dateUntil=2026-11-22');
}
