import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const OPTIONS = {
  configFile: false,
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
};

/** Resolves imports of built files to their TypeScript sources, including imports of workspace packages. */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, context.parentURL);
    if (isOwnSource(source.pathname) && existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, { ...context, conditions: ['back-office:source', ...context.conditions] });
}

export async function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts') || !isOwnSource(pathname)) return next(url, context);
  const filename = fileURLToPath(new URL(url));
  const { code } = await transform(await readFile(filename, 'utf8'), { ...OPTIONS, filename });
  return { format: 'module', source: code, shortCircuit: true };
}

function isOwnSource(pathname) {
  return !pathname.includes('/node_modules/');
}
