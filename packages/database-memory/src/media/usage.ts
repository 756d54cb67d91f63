export interface Usage {
  readonly id: number;
  readonly key: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly field: string;
  readonly label: string | null;
  readonly url: string;
  readonly inserted_at: Date;
}
