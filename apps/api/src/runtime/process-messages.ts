/** JSON of all metrics of a process, as prom-client returns it. */
export type MetricsJson = readonly object[];

export type ProcessRole = 'api' | 'worker';

/** Environment variable that contains the role of a supervised process. */
export const ROLE_VARIABLE = 'SUPERVISED_ROLE';

export type MessageToSupervisor =
  | { readonly kind: 'ready'; readonly greeting: string }
  /** Requests the metrics of all processes. */
  | { readonly kind: 'collect'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: MetricsJson };

export type MessageToProcess =
  /** Another process has taken over, so this one can end. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'collected'; readonly id: number; readonly text: string };
