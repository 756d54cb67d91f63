export const WAREHOUSES = [
  {
    code: 'BG-01',
    name: 'Beograd, central warehouse',
    address_line_1: 'Batajnički drum 14',
    city: 'Beograd',
    postcode: '11080',
    market_id: 1,
  },
  {
    code: 'NS-01',
    name: 'Novi Sad, store',
    address_line_1: 'Zmaj Jovina 8',
    city: 'Novi Sad',
    postcode: '21000',
    market_id: 1,
  },
];

const SHOES: readonly (readonly [code: string, name: string, price: number])[] = [
  ['SHOE-RUN', 'Running shoe Vetar', 8_990],
  ['SHOE-WALK', 'Walking shoe Staza', 7_490],
  ['SHOE-HIKE', 'Hiking boot Rtanj', 14_990],
  ['SHOE-RAIN', 'Rain boot Sava', 4_990],
  ['SHOE-SAND', 'Sandal Uvac', 5_490],
  ['SHOE-KIDS', 'Kids sneaker Zeka', 3_990],
];
const GARMENTS: readonly (readonly [code: string, name: string, price: number])[] = [
  ['TEE-BASIC', 'Cotton T-shirt Lan', 1_490],
  ['TEE-LONG', 'Long-sleeved shirt Breza', 2_290],
  ['HOOD-ZIP', 'Hooded jacket Tara', 5_990],
  ['COAT-WIND', 'Wind jacket Košava', 9_990],
  ['PANT-JOG', 'Jogging trousers Ada', 3_990],
  ['CAP-SUN', 'Sun cap Morava', 1_290],
];

function toProduct(prefix: string, sizes: readonly string[]) {
  return ([code, name, price]: readonly [string, string, number], index: number) => ({
    code,
    name,
    price,
    variants: sizes.map((size, sizeIndex) => ({
      code: `${code}-${size}`,
      barcode: `860${prefix}${String(index).padStart(3, '0')}${String(sizeIndex).padStart(4, '0')}`,
      external_ref: `erp-${code.toLowerCase()}-${size.toLowerCase()}`,
      name: size,
    })),
  });
}

export const PRODUCTS = [
  ...SHOES.map(toProduct('100', ['38', '40', '42', '44'])),
  ...GARMENTS.map(toProduct('200', ['S', 'M', 'L', 'XL'])),
];

export const CUSTOMERS = [
  ['Milica', 'Jovanović'],
  ['Nikola', 'Petrović'],
  ['Ana', 'Kovačević'],
  ['Stefan', 'Ilić'],
  ['Jelena', 'Đorđević'],
].map(([first_name = '', last_name = ''], index) => ({
  email: `kupac${index + 1}@example.com`,
  first_name,
  last_name,
  phone: `+38160100200${index}`,
  external_ref: `CRM-${1001 + index}`,
}));
