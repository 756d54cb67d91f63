import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { openDatabase } from '@back-office/database-memory';
import { Metrics } from './runtime/metrics.js';

// `deploy-schemas.full.test.ts` in tools checks these files against the schemas of Kubernetes and Compose.
const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const SCRIPTS = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
/** The command of `npm start` without `exec`. */
const START = (SCRIPTS['start'] ?? '').replace('exec ', '');
const WORKER = (SCRIPTS['worker'] ?? '').replace('exec ', '');
const KNOWN_VARIABLES = new Set(read('docs/operations.md').match(/(?<=`)[A-Z][A-Z\d_]+(?=`)/g));
/** Variables of the shell, which the service does not read. */
const FOREIGN_VARIABLES = ['HOME'];
const namesOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
const unknownVariables = (names: readonly string[]): string[] =>
  names.filter((name) => !KNOWN_VARIABLES.has(name) && !FOREIGN_VARIABLES.includes(name));

const METRIC_NAME = /\b[a-z]+(?:_[a-z\d]+)+(?=[{[)]| [<>])/g;

const servedMetrics = async (): Promise<ReadonlySet<string>> => {
  const clock = { now: () => new Date() };
  const { database } = await openDatabase({ clock, publicBase: () => '', isPublished: () => false });
  const metrics = new Metrics(database.health);
  metrics.watchWebhooks({ lags: async () => [], attempts: () => ({ delivered: 0, failed: 0 }), now: clock.now });
  metrics.watchBacklog(() => database.backlog.figures(clock.now()));
  metrics.watchFreeBytes('/');
  const { body } = await metrics.text();
  return new Set(namesOf(body, /^# TYPE (\S+)/gm));
};

describe('the container image', () => {
  const dockerfile = read('deploy/Dockerfile');

  it('runs the command of npm start, as a user without rights', () => {
    const [, command = '[]'] = /^CMD (\[.+)$/m.exec(dockerfile) ?? [];
    expect((JSON.parse(command) as string[]).join(' ')).toBe(START);
    expect(/^USER (\w+)$/m.exec(dockerfile)?.[1]).toBe('node');
  });

  it('sets only variables that the service knows', () => {
    const [, settings = ''] = /^ENV (.+)$/m.exec(dockerfile) ?? [];
    expect(unknownVariables(namesOf(settings, /(\w+)=/g))).toEqual([]);
  });
});

describe('the systemd unit', () => {
  const unit = read('deploy/retail-back-office.service');

  it('runs the command of npm start', () => {
    expect(/^ExecStart=\/usr\/bin\/(.+)$/m.exec(unit)?.[1]).toBe(START);
  });

  it('sets only variables that the service knows', () => {
    const [, settings = ''] = /^Environment=(.+)$/m.exec(unit) ?? [];
    expect(unknownVariables(namesOf(settings, /(\w+)=/g))).toEqual([]);
  });

  it('gives the service more time to stop than it needs', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20);
  });
});

describe.each(['deploy/compose.yaml', 'deploy/compose.media.yaml'])('the compose file %s', (path) => {
  // Docker resets a list of another file with this tag.
  const customTags = [{ tag: '!reset', collection: 'seq' as const, resolve: (value: unknown) => value as never }];
  const compose = parse(read(path), { customTags }) as {
    readonly services: Readonly<Record<string, { readonly environment: object }>>;
  };

  it('sets only variables that the service knows', () => {
    expect(unknownVariables(Object.keys(compose.services['service']?.environment ?? {}))).toEqual([]);
  });
});

describe('the Kubernetes manifests', () => {
  interface Container {
    readonly args?: readonly string[];
    readonly env: readonly { readonly name: string }[];
    readonly ports: readonly { readonly name: string }[];
    readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly port: string } } | undefined;
  }
  interface Manifest {
    readonly data?: object;
    readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
  }

  const manifests = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS() as Manifest);
  const containers = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);

  it('set only variables that the service knows', () => {
    const names = [
      ...manifests.flatMap(({ data = {} }) => Object.keys(data)),
      ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
    ];
    expect(names).toContain('WORKER_PORT');
    expect(unknownVariables(names)).toEqual([]);
  });

  it('run the command of npm run worker in the workers', () => {
    expect(containers.map(({ args }) => args?.join(' '))).toEqual([undefined, WORKER]);
  });

  it('probe ports that the containers name', () => {
    for (const container of containers) {
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      for (const probe of probes)
        if (probe) expect(container.ports.map(({ name }) => name)).toContain(probe.httpGet.port);
    }
  });
});

describe('the autoscaler of the workers', () => {
  const [autoscaler, adapter] = parseAllDocuments(read('deploy/kubernetes-worker-autoscaler.yaml')).map(
    (document) => document.toJS() as unknown,
  ) as unknown as readonly [
    { readonly spec: { readonly scaleTargetRef: object; readonly metrics: readonly object[] } },
    { readonly data: { readonly 'config.yaml': string } },
  ];

  it('scales the workers by the metric that the adapter makes of a metric of the service', async () => {
    const { externalRules } = parse(adapter.data['config.yaml']) as {
      readonly externalRules: readonly { readonly name: { readonly as: string }; readonly metricsQuery: string }[];
    };
    const [rule] = externalRules;
    expect(externalRules).toHaveLength(1);
    expect(autoscaler.spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'back-office-worker' },
      metrics: [{ external: { metric: { name: rule?.name.as } } }],
    });
    const [metric = ''] = rule?.metricsQuery.match(METRIC_NAME) ?? [];
    expect(await servedMetrics()).toContain(metric);
  });
});

describe('the monitoring files', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly annotations: { readonly runbook: string };
  }
  const { groups } = parse(read('deploy/monitoring/alerts.yaml')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  /** Metrics of Prometheus itself, and of the first of several processes. */
  const OTHER_METRICS = ['up', 'process_restarts_total', 'processes_ready'];

  it('use only metrics that the service has', async () => {
    const known = await servedMetrics();
    const expressions = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    const used = expressions.flatMap((expr) => expr.match(METRIC_NAME) ?? []);
    const unknown = used
      .map((name) => name.replace(/_(?:bucket|count)$/, ''))
      .filter((name) => !known.has(name) && !OTHER_METRICS.includes(name));
    expect(unknown).toEqual([]);
    expect(used).toEqual(expect.arrayContaining(['work_due_for_seconds', 'http_request_duration_seconds_count']));
  });

  it('have a section of the runbooks and a test for each alert', () => {
    const alerts = rules.map(({ alert }) => alert);
    expect(namesOf(read('docs/runbooks.md'), /^## (.+)$/gm)).toEqual(alerts);
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
      alerts.map((alert) => `docs/runbooks.md#${alert.toLowerCase()}`),
    );
    const { tests } = parse(read('deploy/monitoring/alerts.test.yaml')) as { tests: readonly { name: string }[] };
    expect(tests.map(({ name }) => name)).toEqual(alerts);
  });
});
