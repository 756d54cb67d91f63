import { columnsOf, fieldsOf, pick } from './columns.js';

const row = { id: 1, end_sales: 5, sales_channel_id: 2, left: 'out' };
const record = { id: 1, endSales: 5, salesChannelId: 2 };

describe('a mapping between columns and fields', () => {
  it('converts columns to fields', () => {
    expect(fieldsOf(row, ['id', 'end_sales', 'sales_channel_id'])).toEqual(record);
  });

  it('converts fields to columns', () => {
    expect(columnsOf({ ...record, other: true }, ['id', 'end_sales', 'sales_channel_id'])).toEqual({
      id: 1,
      end_sales: 5,
      sales_channel_id: 2,
    });
  });

  it('picks columns by name', () => {
    expect(pick(row, ['id', 'left'])).toEqual({ id: 1, left: 'out' });
  });
});
