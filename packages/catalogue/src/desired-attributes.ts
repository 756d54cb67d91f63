export interface DesiredAttributes {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly attributes: readonly DesiredAttribute[];
}

export interface DesiredAttribute {
  readonly external_ref: string;
  /** If the reference exists, its definition must have this id. */
  readonly definitionId: number | undefined;
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly value: string;
}
