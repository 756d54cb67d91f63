import fc from 'fast-check';
import { matcherOf, type IdentifierValues, type Identifier } from './match.js';

const BY_CODE_BARCODE_REFERENCE: readonly Identifier[] = ['code', 'barcode', 'external_ref'];

const shirt = { code: 'SHIRT', barcode: '8600000000001', external_ref: 'ref-1' };
const shoe = { code: 'SHOE', barcode: '8600000000002', external_ref: 'ref-2' };

describe('a row with identifiers of two different records', () => {
  it('finds the record of the first identifier', () => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt, shoe]);
    expect(matcher.find({ code: 'SHIRT', barcode: shoe.barcode, external_ref: shoe.external_ref })).toBe(shirt);
    expect(matcher.find({ code: 'unknown', barcode: shoe.barcode, external_ref: shirt.external_ref })).toBe(shoe);
  });
});

describe('an identifier that differs from the stored one', () => {
  it.each([
    ['in another case', 'shirt'],
    ['with a space before it', ' SHIRT'],
    ['with a space after it', 'SHIRT '],
    ['in part', 'SHIR'],
    ['as a pattern', 'SHIR%'],
    ['in another normal form', 'SHI\u0052\u0301T'],
  ])('finds nothing: %s', (_, code) => {
    expect(matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt]).find({ code })).toBeUndefined();
  });

  it('finds nothing when the type differs', () => {
    const seven = { id: 7, code: '7' };
    const matcher = matcherOf(['id', 'code'], [seven]);
    expect(matcher.find({ id: '7' })).toBeUndefined();
    expect(matcher.find({ code: 7 })).toBeUndefined();
    expect(matcher.find({ id: 7 })).toBe(seven);
  });

  it('finds nothing under another identifier', () => {
    expect(matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt]).find({ barcode: 'SHIRT' })).toBeUndefined();
  });
});

describe('an empty identifier of a row', () => {
  const recordWithoutNames = { code: '', barcode: null, external_ref: undefined };

  it.each([undefined, null, '', '  ', '\u00a0'])('finds no record by %j', (emptyValue) => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [recordWithoutNames]);
    expect(matcher.find({ code: emptyValue, barcode: emptyValue, external_ref: emptyValue })).toBeUndefined();
    expect(matcher.findHolder('code', emptyValue)).toBeUndefined();
  });

  it('is skipped', () => {
    expect(matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt]).find({ code: '', barcode: shirt.barcode })).toBe(shirt);
  });
});

describe('Matcher.findHolder', () => {
  it('searches one identifier only', () => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt, shoe]);
    expect(matcher.findHolder('barcode', shoe.barcode)).toBe(shoe);
    expect(matcher.findHolder('code', shoe.barcode)).toBeUndefined();
  });

  it('is undefined for an identifier that the matcher does not use', () => {
    expect(matcherOf(['code'], [shirt]).findHolder('barcode', shirt.barcode)).toBeUndefined();
  });
});

describe('Matcher.add', () => {
  it('makes a record findable for later rows', () => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt]);
    expect(matcher.find(shoe)).toBeUndefined();
    matcher.add(shoe);
    expect(matcher.find({ external_ref: 'ref-2' })).toBe(shoe);
    expect(matcher.find({ code: 'SHIRT' })).toBe(shirt);
  });
});

describe('Matcher.remove', () => {
  it('makes a record impossible to find by any of its identifiers', () => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt, shoe]);
    matcher.remove(shirt);
    for (const [identifier, value] of Object.entries(shirt))
      expect(matcher.find({ [identifier]: value })).toBeUndefined();
    expect(matcher.find(shoe)).toBe(shoe);
  });

  it('lets the record be added again with other identifiers', () => {
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt]);
    const renamedRecord = { ...shirt, code: 'T-SHIRT' };
    matcher.remove(shirt);
    matcher.add(renamedRecord);
    expect(matcher.find({ code: 'SHIRT' })).toBeUndefined();
    expect(matcher.find({ code: 'T-SHIRT' })).toBe(renamedRecord);
  });

  it('does not remove another record that now has one of the identifiers', () => {
    const matcher = matcherOf(['code'], [shirt]);
    const successor = { ...shoe, code: shirt.code };
    matcher.add(successor);
    matcher.remove(shirt);
    expect(matcher.find({ code: 'SHIRT' })).toBe(successor);
  });
});

describe('trimmed identifiers', () => {
  const records = [shirt, { ...shoe, barcode: ' B ' }];
  const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, records, ['barcode', 'external_ref']);

  it('match as sent, then in their stored form', () => {
    expect(matcher.findMatch({ barcode: ' B ' })).toEqual({ identifier: 'barcode', record: records[1] });
    expect(matcher.findMatch({ external_ref: ` ${shirt.external_ref}\t` })).toMatchObject({ record: shirt });
    expect(matcher.find({ barcode: 'B' })).toBeUndefined();
    expect(matcher.find({ code: ' SHIRT' })).toBeUndefined();
  });

  it('match in their stored form only if no identifier matches as sent', () => {
    const row = { barcode: ` ${shirt.barcode}`, external_ref: shoe.external_ref };
    expect(matcher.explain(row)).toEqual({ identifier: 'external_ref', record: records[1], others: [] });
    const padded = { barcode: ` ${shirt.barcode}`, external_ref: ` ${shoe.external_ref}` };
    expect(matcher.explain(padded)).toMatchObject({ record: shirt, others: [{ record: records[1] }] });
  });
});

describe('Matcher.explain', () => {
  const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt, shoe]);

  it('returns the identifier that found the record', () => {
    expect(matcher.explain({ code: 'SHIRT' })).toEqual({ identifier: 'code', record: shirt, others: [] });
    expect(matcher.explain({ code: 'unknown', barcode: shoe.barcode })).toMatchObject({ identifier: 'barcode' });
  });

  it('lists the identifiers that belong to other records, with their values', () => {
    const sock = { code: 'SOCK', barcode: '8600000000003', external_ref: 'ref-3' };
    const match = matcherOf(BY_CODE_BARCODE_REFERENCE, [shirt, shoe, sock]).explain({
      code: 'SHIRT',
      barcode: shoe.barcode,
      external_ref: sock.external_ref,
    });
    expect(match).toEqual({
      identifier: 'code',
      record: shirt,
      others: [
        { identifier: 'barcode', value: shoe.barcode, record: shoe },
        { identifier: 'external_ref', value: sock.external_ref, record: sock },
      ],
    });
  });

  it('omits identifiers that find the same record, find nothing or are not tried', () => {
    expect(matcher.explain({ ...shirt, external_ref: 'unknown', id: 1 })).toMatchObject({ record: shirt, others: [] });
    expect(matcherOf(['code'], [shirt, shoe]).explain({ code: 'SHIRT', barcode: shoe.barcode }).others).toEqual([]);
  });

  it('is empty when nothing is found', () => {
    expect(matcher.explain({ code: 'unknown', barcode: '' })).toEqual({ others: [] });
  });
});

describe('any records and any row', () => {
  const value = fc.constantFrom<unknown>('a', 'A', 'a ', 'b', '7', 7, 0, '', null, undefined);
  const identifiedRecord: fc.Arbitrary<IdentifierValues> = fc.record({
    id: value,
    code: value,
    barcode: value,
    external_ref: value,
  });
  const identifierOrders = fc.shuffledSubarray<Identifier>(['id', 'code', 'barcode', 'external_ref']);

  it('match by the first identifier that finds a record', () => {
    fc.assert(
      fc.property(
        identifierOrders,
        fc.array(identifiedRecord, { maxLength: 6 }),
        identifiedRecord,
        (order, records, row) => {
          const foundRecord = matcherOf(order, records).find(row);
          const firstIdentifier = order.find((identifier) =>
            records.some((record) => hasSameIdentifier(row, record, identifier)),
          );
          expect(foundRecord === undefined).toBe(firstIdentifier === undefined);
          if (firstIdentifier !== undefined) expect(hasSameIdentifier(row, foundRecord!, firstIdentifier)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('are explained consistently with find', () => {
    fc.assert(
      fc.property(
        identifierOrders,
        fc.array(identifiedRecord, { maxLength: 6 }),
        identifiedRecord,
        (order, records, row) => {
          const matcher = matcherOf(order, records);
          const { identifier, record, others } = matcher.explain(row);
          expect(record).toBe(matcher.find(row));
          expect(identifier === undefined ? undefined : matcher.findHolder(identifier, row[identifier])).toBe(record);
          const otherIdentifiers = order.filter((otherIdentifier) => {
            const holder = matcher.findHolder(otherIdentifier, row[otherIdentifier]);
            return holder !== undefined && holder !== record;
          });
          expect(others.map((match) => match.identifier)).toEqual(otherIdentifiers);
          for (const otherMatch of others)
            expect(matcher.findHolder(otherMatch.identifier, otherMatch.value)).toBe(otherMatch.record);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('match in the same way, whether the records are added together or one by one', () => {
    fc.assert(
      fc.property(
        identifierOrders,
        fc.array(identifiedRecord, { maxLength: 6 }),
        identifiedRecord,
        (order, records, row) => {
          const matcher = matcherOf<IdentifierValues>(order, []);
          for (const record of records) matcher.add(record);
          expect(matcher.find(row)).toBe(matcherOf(order, records).find(row));
        },
      ),
    );
  });
});

function hasSameIdentifier(row: IdentifierValues, record: IdentifierValues, identifier: Identifier): boolean {
  const rowValue = row[identifier];
  return rowValue !== undefined && rowValue !== null && rowValue !== '' && rowValue === record[identifier];
}

describe('Matcher.rename', () => {
  it('frees the old value and takes the new value from the record that has it', () => {
    const [a, b] = [{ ...shirt }, { ...shoe }];
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [a, b]);
    matcher.rename(a, 'code', 'SHOE');
    expect(matcher.find({ code: 'SHIRT' })).toBeUndefined();
    expect(matcher.find({ code: 'SHOE' })).toBe(a);
    expect(matcher.find({ barcode: shirt.barcode })).toBe(a);
    expect(matcher.find({ barcode: shoe.barcode })).toBe(b);
  });

  it('can be undone in reverse order', () => {
    const [a, b] = [{ ...shirt }, { ...shoe }];
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [a, b]);
    const undo = [
      matcher.rename(a, 'code', 'SHOE'),
      matcher.rename(b, 'code', 'BOOT'),
      matcher.rename(a, 'barcode', null),
    ];
    for (const undoStep of undo.reverse()) undoStep();
    for (const record of [a, b])
      for (const identifier of BY_CODE_BARCODE_REFERENCE)
        expect(matcher.findHolder(identifier, record[identifier as 'code'])).toBe(record);
    expect(matcher.find({ code: 'BOOT' })).toBeUndefined();
  });

  it('does not free a value that another record now has', () => {
    const [a, b] = [{ ...shirt }, { ...shoe }];
    const matcher = matcherOf(BY_CODE_BARCODE_REFERENCE, [a, b]);
    matcher.rename(b, 'code', 'SHIRT');
    matcher.rename(a, 'code', 'COAT');
    expect(matcher.find({ code: 'SHIRT' })).toBe(b);
    expect(matcher.find({ code: 'COAT' })).toBe(a);
  });
});
