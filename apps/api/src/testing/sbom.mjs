import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { productionPackages, ROOT } from './locked-packages.mjs';

const SPDX_OPERATOR = / (?:AND|OR|WITH) /;

/** Returns the production packages in CycloneDX form. `npm sbom` would omit most dependencies of workspaces. */
export function sbom() {
  const { name, version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const packages = productionPackages();
  const refByPath = new Map(packages.map((entry) => [entry.path, refOf(entry)]));
  const byRef = new Map(packages.map((entry) => [refOf(entry), entry]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version } },
    components: [...byRef.values()].map(componentOf),
    dependencies: [...byRef].map(([ref, { dependencies }]) => ({
      ref,
      dependsOn: [...new Set(dependencies.map((path) => refByPath.get(path)).filter((found) => found !== undefined))],
    })),
  };
}

function refOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function componentOf(entry) {
  const [, group, name = entry.name] = /^(@[^/]+)\/(.+)$/.exec(entry.name) ?? [];
  const content = Buffer.from(entry.integrity.replace('sha512-', ''), 'base64').toString('hex');
  const { licence, version } = entry;
  const url = `https://registry.npmjs.org/${entry.name}/-/${name}-${version}.tgz`;
  const isExpression = SPDX_OPERATOR.test(licence);
  return {
    type: 'library',
    'bom-ref': refOf(entry),
    ...(group && { group }),
    name,
    version,
    scope: entry.optional ? 'optional' : 'required',
    purl: refOf(entry),
    licenses: [isExpression ? { expression: licence } : { license: { id: licence } }],
    externalReferences: [{ type: 'distribution', url, hashes: [{ alg: 'SHA-512', content }] }],
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${JSON.stringify(sbom(), null, 2)}\n`);
}
