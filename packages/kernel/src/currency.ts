const CURRENCIES: Readonly<Record<string, readonly [number: number, decimals: number]>> = {
  AED: [784, 2],
  ALL: [8, 2],
  AUD: [36, 2],
  BAM: [977, 2],
  BGN: [975, 2],
  BHD: [48, 3],
  BRL: [986, 2],
  CAD: [124, 2],
  CHF: [756, 2],
  CNY: [156, 2],
  CZK: [203, 2],
  DKK: [208, 2],
  EUR: [978, 2],
  GBP: [826, 2],
  GEL: [981, 2],
  HKD: [344, 2],
  HUF: [348, 2],
  ILS: [376, 2],
  INR: [356, 2],
  ISK: [352, 0],
  JPY: [392, 0],
  KRW: [410, 0],
  KWD: [414, 3],
  KZT: [398, 2],
  MDL: [498, 2],
  MKD: [807, 2],
  MXN: [484, 2],
  NOK: [578, 2],
  NZD: [554, 2],
  PLN: [985, 2],
  QAR: [634, 2],
  RON: [946, 2],
  RSD: [941, 2],
  RUB: [643, 2],
  SAR: [682, 2],
  SEK: [752, 2],
  SGD: [702, 2],
  THB: [764, 2],
  TND: [788, 3],
  TRY: [949, 2],
  UAH: [980, 2],
  USD: [840, 2],
  ZAR: [710, 2],
};

export function isCurrency(code: string): boolean {
  return Object.hasOwn(CURRENCIES, code);
}

/** Returns 2 for an unknown currency. */
export function decimalsOf(currency: string): number {
  return CURRENCIES[currency]?.[1] ?? 2;
}

/** ISO 4217 number (`currency_id` of the API): RSD 941, EUR 978; 0 when unknown. */
export function currencyNumber(currency: string): number {
  return CURRENCIES[currency]?.[0] ?? 0;
}
