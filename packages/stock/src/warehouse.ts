export interface Warehouse {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
  readonly address_line_1: string;
  readonly city: string;
  readonly postcode: string;
  readonly market_id: number;
  readonly sellable: boolean;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export type NewWarehouse = Omit<Warehouse, 'id' | 'inserted_at' | 'updated_at'>;

/** In a dry run, a new warehouse has no id. */
export type WrittenWarehouse = Omit<Warehouse, 'id'> & { readonly id: number | null };

/** The code or the id identifies the warehouse. A deletion needs no other field. */
export interface DesiredWarehouse {
  readonly code?: string | null | undefined;
  readonly id?: number | null | undefined;
  readonly name: string;
  readonly address_line_1: string;
  readonly city: string;
  readonly postcode: string;
  readonly market_id: number;
  readonly sellable?: boolean | null | undefined;
  readonly delete?: boolean | null | undefined;
}
