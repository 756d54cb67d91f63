export interface LocationFields {
  readonly code: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly address_line_1: string | null;
  readonly city: string | null;
  readonly postcode: string | null;
  readonly image_url: string | null;
}

/** A place where customers meet the app, such as a store. */
export interface Location extends LocationFields {
  readonly id: number;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** A location after a bulk write; `id` is null where a dry run would have added it. */
export type WrittenLocation = Omit<Location, 'id'> & { readonly id: number | null };
