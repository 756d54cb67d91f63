import { defaultTerms } from '@back-office/kernel';
import type { Basket } from '../index.js';

export function aBasket(overrides: Partial<Basket> = {}): Basket {
  return { ...BASKET, ...overrides };
}

const BASKET: Basket = {
  ...defaultTerms(),
  items: [],
  customer: null,
  guest: {
    id: null,
    dataPart: null,
    timePart: null,
    email: 'ana@example.com',
    firstName: 'Ana',
    lastName: 'Kovačević',
    phone: '+381601112223',
  },
  delivery: { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000', country: 'RS' },
  warehouseCode: null,
  coupons: [],
  vouchers: [],
  currency: 'RSD',
};
