import { ValueType, type HrTime } from '@opentelemetry/api';
import { hrTime, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricsSource } from './telemetry.js';

type Labels = Readonly<Record<string, string | number>>;

interface PrometheusValue {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

interface PrometheusMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly PrometheusValue[];
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Converts the metrics of `/metrics` at each export, under the same names. */
export class PrometheusProducer implements MetricProducer {
  private readonly startTime = hrTime();

  constructor(
    private readonly metrics: MetricsSource,
    private readonly resource: Resource,
    private readonly scope: InstrumentationScope,
  ) {}

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.startTime, endTime: hrTime() };
    const metrics = ((await this.metrics()) as readonly PrometheusMetric[]).flatMap((metric) => convert(metric, times));
    return { resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope: this.scope, metrics }] }, errors: [] };
  }
}

function convert({ name, help, type, values }: PrometheusMetric, times: Times): MetricData[] {
  const common = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = (): DataPoint<number>[] =>
    values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  switch (type) {
    case 'counter':
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
    case 'gauge':
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
    case 'histogram':
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(name, values, times) }];
    default:
      return [];
  }
}

function unitOf(name: string): string {
  if (name.includes('_seconds')) return 's';
  return name.includes('_bytes') ? 'By' : '';
}

interface Series {
  readonly attributes: Labels;
  readonly boundaries: number[];
  /** Number of values up to each boundary, and last of all values. */
  readonly cumulative: number[];
  sum: number;
}

function histogramPoints(name: string, values: readonly PrometheusValue[], times: Times): DataPoint<Histogram>[] {
  const seriesByLabels = new Map<string, Series>();
  for (const { labels, value, metricName } of values) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const series = seriesByLabels.get(key) ?? { attributes, boundaries: [], cumulative: [], sum: 0 };
    seriesByLabels.set(key, series);
    if (metricName === `${name}_sum`) series.sum = value;
    if (le === undefined) continue;
    series.cumulative.push(value);
    if (le !== '+Inf') series.boundaries.push(Number(le));
  }
  return [...seriesByLabels.values()].map(({ attributes, boundaries, cumulative, sum }) => {
    const counts = cumulative.map((count, index) => count - (cumulative[index - 1] ?? 0));
    const value = { buckets: { boundaries, counts }, sum, count: cumulative.at(-1) ?? 0 };
    return { ...times, attributes: { ...attributes }, value };
  });
}
