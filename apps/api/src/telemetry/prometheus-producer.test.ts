import { emptyResource } from '@opentelemetry/resources';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { PrometheusProducer } from './prometheus-producer.js';

const register = new Registry();
const producer = new PrometheusProducer(() => register.getMetricsAsJSON(), emptyResource(), { name: 'test' });

async function collect() {
  const { resourceMetrics } = await producer.collect();
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
}

beforeEach(() => register.clear());

describe('the metrics at an export', () => {
  it('have the count of each label', async () => {
    const counter = new Counter({ name: 'calls_total', help: 'Calls', labelNames: ['kind'], registers: [register] });
    counter.inc({ kind: 'a' }, 2);
    counter.inc({ kind: 'b' });
    const [metric] = await collect();
    expect(metric).toMatchObject({
      descriptor: { name: 'calls_total', description: 'Calls', unit: '' },
      isMonotonic: true,
      dataPoints: [
        { attributes: { kind: 'a' }, value: 2 },
        { attributes: { kind: 'b' }, value: 1 },
      ],
    });
  });

  it('read a gauge at each export', async () => {
    let value = 1;
    const gauge: Gauge = new Gauge({
      name: 'size_bytes',
      help: '-',
      registers: [register],
      collect: () => gauge.set(value),
    });
    expect((await collect())[0]).toMatchObject({ descriptor: { unit: 'By' }, dataPoints: [{ value: 1 }] });
    value = 2;
    expect((await collect())[0]).toMatchObject({ dataPoints: [{ value: 2 }] });
  });

  it('have the number of values in each bucket of a histogram', async () => {
    const histogram = new Histogram({
      name: 'time_seconds',
      help: '-',
      labelNames: ['route'],
      buckets: [1, 2],
      registers: [register],
    });
    for (const value of [0.5, 1.5, 1.6, 9]) histogram.observe({ route: '/a' }, value);
    histogram.observe({ route: '/b' }, 3);
    const [metric] = await collect();
    expect(metric?.descriptor.unit).toBe('s');
    expect(metric?.dataPoints).toMatchObject([
      {
        attributes: { route: '/a' },
        value: { count: 4, sum: 12.6, buckets: { boundaries: [1, 2], counts: [1, 2, 1] } },
      },
      { attributes: { route: '/b' }, value: { count: 1, sum: 3, buckets: { boundaries: [1, 2], counts: [0, 0, 1] } } },
    ]);
  });

  it('leave out summaries, because OTLP keeps their type only for old sources', async () => {
    new Summary({ name: 'quantiles', help: '-', registers: [register] }).observe(1);
    expect(await collect()).toEqual([]);
  });
});
