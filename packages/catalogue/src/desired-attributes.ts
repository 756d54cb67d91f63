export interface DesiredAttributes {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly attributes: readonly DesiredAttribute[];
}

export interface DesiredAttribute {
  readonly external_ref: string;
  /** If present, it must be the id of the definition with this `external_ref`. */
  readonly definitionId: number | undefined;
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly value: string;
}
