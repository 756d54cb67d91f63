import { violates } from './failures.js';

const duplicate = (more: object) => ({ code: '23505', ...more });
const message = 'duplicate key value violates unique constraint "cards_barcode_key_102228"';

describe('a unique key that is violated', () => {
  it('is known by its name, which a suffix may follow', () => {
    expect(violates(duplicate({ constraint: 'cards_barcode_key' }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicate({ constraint: 'cards_barcode_key_102228' }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicate({ constraint: 'cards_pkey', message }), 'cards_barcode_key')).toBe(false);
  });

  it('is known by the message where a cluster gives no name', () => {
    expect(violates(duplicate({ message }), 'cards_barcode_key')).toBe(true);
    expect(violates(duplicate({ message }), 'cards_pkey')).toBe(false);
    expect(violates({ code: '23503', message }, 'cards_barcode_key')).toBe(false);
  });
});
