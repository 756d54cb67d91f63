/** The options of a call as its plan needs them. */
export interface PlanOptions {
  readonly shouldExplain: boolean;
  readonly replacesImages: boolean;
  readonly storesReferences: boolean;
}
