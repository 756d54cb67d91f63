import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { FailureLog } from './telemetry.js';
import { errorTypeOf } from './error-type.js';

interface Exporter<Items> {
  export(items: Items, onResult: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Logs one line when the export of a signal fails, and one when it succeeds again. */
export class ExportHealth {
  private readonly failing = new Set<string>();
  private log: FailureLog | undefined;

  reportTo(log: FailureLog): void {
    this.log = log;
  }

  watch<Items>(signal: string, exporter: Exporter<Items>): Required<Exporter<Items>> {
    return {
      export: (items, onResult) =>
        exporter.export(items, (result) => {
          this.note(signal, result);
          onResult(result);
        }),
      forceFlush: async () => exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    };
  }

  private note(signal: string, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.failing.delete(signal)) this.log?.info({ signal }, 'telemetry exported again');
      return;
    }
    if (this.log === undefined || this.failing.has(signal)) return;
    this.failing.add(signal);
    this.log.warn({ signal, error: errorTypeOf(error) }, 'telemetry not exported');
  }
}
