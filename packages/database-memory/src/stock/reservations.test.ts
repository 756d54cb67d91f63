import { State } from '../state.js';
import { endReservations, bookReservations } from './reservations.js';
import { sellableStock, stockRows } from './shelves.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const LATER = new Date('2026-11-21T11:00:00Z');
const APP = 1;

/**
 * Makes the sellable warehouses W1 and W2, and W3, which is not sellable. Each has ten pieces of the variants 1 and 2.
 */
function makeShop() {
  const state = new State();
  const dates = { inserted_at: NOW, updated_at: NOW, deleted_at: null };
  for (const code of ['W1', 'W2', 'W3']) {
    const address = { name: code, address_line_1: 'a', city: 'c', postcode: 'p', market_id: 1 };
    const { id } = state.warehouses.insert(APP, { ...address, ...dates, code, sellable: code !== 'W3' });
    for (const variant of [1, 2]) {
      const shelf = { product_variant_id: variant, warehouse_id: id };
      state.stocks.insert(APP, { ...shelf, on_hand: 10, reserved: 0, min_qty: 0, updated_at: NOW });
    }
  }
  const movements = () => {
    const lines = state.stockMovementLines.all(APP);
    return state.stockMovements.all(APP).map(({ id, kind, warehouse_id, reference }) => {
      const movementLines = lines.filter((line) => line.movement_id === id);
      const pieces = movementLines.map((line) => `${line.product_variant_id}: ${line.qty}`).join(', ');
      return `${kind} ${reference} W${warehouse_id} ${pieces}`;
    });
  };
  const stock = (variantId: number, warehouseId: number) => {
    const [row] = stockRows(state, APP, [{ variantId, warehouseId }]);
    return [row?.onHand, row?.reserved];
  };
  const reservations = () =>
    state.stockReservations.all(APP).map(({ id, qty, warehouse_id }) => `${id}: ${qty} W${warehouse_id}`);
  return { state, movements, stock, reservations };
}

const makeChange = (lineId: number, variantId: number, warehouseId: number, qty: number | null, delta: number) => ({
  lineId,
  variantId,
  warehouseId,
  qty,
  delta,
  reference: 'P1',
});

describe('reservations of stock', () => {
  it('are stored and booked as one movement per warehouse and kind', () => {
    const { state, movements, stock, reservations } = makeShop();
    const changes = [
      makeChange(7, 2, 1, 3, 3),
      makeChange(8, 1, 1, 2, 2),
      makeChange(9, 1, 1, 4, 4),
      makeChange(10, 1, 2, 1, 1),
    ];
    bookReservations(state, APP, changes, LATER);
    expect(movements()).toEqual(['reserve P1 W1 1: 6, 2: 3', 'reserve P1 W2 1: 1']);
    expect([stock(1, 1), stock(2, 1), stock(1, 2)]).toEqual([
      [10, 6],
      [10, 3],
      [10, 1],
    ]);
    expect(reservations()).toEqual(['7: 3 W1', '8: 2 W1', '9: 4 W1', '10: 1 W2']);
  });

  it('can be changed, moved to another warehouse and ended', () => {
    const { state, movements, stock, reservations } = makeShop();
    const changes = [makeChange(7, 1, 1, 3, 3), makeChange(8, 2, 1, 2, 2), makeChange(9, 2, 1, 1, 1)];
    bookReservations(state, APP, changes, NOW);
    const laterChanges = [
      makeChange(7, 1, 1, null, -3),
      makeChange(7, 1, 2, 5, 5),
      makeChange(8, 2, 1, 0, -2),
      makeChange(9, 2, 1, 4, 3),
    ];
    bookReservations(state, APP, laterChanges, LATER);
    expect(movements().slice(1)).toEqual(['release P1 W1 1: -3, 2: -2', 'reserve P1 W1 2: 3', 'reserve P1 W2 1: 5']);
    expect(reservations()).toEqual(['7: 5 W2', '9: 4 W1']);
    expect(state.stockReservations.get(APP, 7)).toMatchObject({ inserted_at: NOW, updated_at: LATER });
    expect([stock(1, 1), stock(1, 2), stock(2, 1)]).toEqual([
      [10, 0],
      [10, 5],
      [10, 4],
    ]);
  });

  it('end when their pieces are shipped or released', () => {
    const { state, movements, stock, reservations } = makeShop();
    bookReservations(state, APP, [makeChange(7, 1, 1, 3, 3), makeChange(8, 2, 1, 2, 2)], NOW);
    const departure = { warehouseId: 1, reference: 'O1' };
    const endedReservations = [
      { ...departure, proformaItemId: 7, variantId: 1, qty: 3, kind: 'ship' as const },
      { ...departure, proformaItemId: 8, variantId: 2, qty: 2, kind: 'release' as const },
    ];
    endReservations(state, APP, endedReservations, LATER);
    expect(movements().slice(1)).toEqual(['release O1 W1 2: -2', 'ship O1 W1 1: -3']);
    expect([stock(1, 1), stock(2, 1), reservations()]).toEqual([[7, 0], [10, 0], []]);
  });

  it('never go below 0', () => {
    const { state } = makeShop();
    expect(() => bookReservations(state, APP, [makeChange(7, 1, 1, 0, -1)], NOW)).toThrow('below 0');
  });
});

describe('a search for sellable stock', () => {
  it('returns only stock in sellable warehouses, sorted by variant and warehouse', () => {
    const { state } = makeShop();
    const findShelves = (...demands: Parameters<typeof sellableStock>[2]) =>
      sellableStock(state, APP, demands).map((row) => `${row.variantId}@${row.warehouseCode}`);
    expect(findShelves({ variantId: 2, warehouseId: null }, { variantId: 1, warehouseId: 2 })).toEqual([
      '1@W2',
      '2@W1',
      '2@W2',
    ]);
    expect(findShelves({ variantId: 1, warehouseId: 3 })).toEqual([]);
    state.warehouses.put(APP, { ...state.warehouses.all(APP)[0]!, deleted_at: NOW });
    expect(findShelves({ variantId: 1, warehouseId: null })).toEqual(['1@W2']);
  });
});
