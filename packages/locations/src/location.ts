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

export interface Location extends LocationFields {
  readonly id: number;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** The id is null when a dry run would have added the location. */
export type WrittenLocation = Omit<Location, 'id'> & { readonly id: number | null };
