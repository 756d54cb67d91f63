// Import rules. tools/rules/architecture.check.test.ts breaks each rule once on purpose.

// Every package that is neither an adapter nor the client counts as pure, so the rules cover new packages at once.
const adapters = 'storage|images|pages|upload|facts|database';
const adapter = `^packages/(?:${adapters})-[^/]+/`;
/** The client runs at the callers of the API, not in the service. */
const client = '^packages/client/';
const pure = `^packages/(?!(?:${adapters})-|client/)([^/]+)/`;
const tests = ['[.](?:test|contract)[.]ts$', '^(?:packages|apps)/[^/]+/(?:src/)?testing/'];

// Every other folder of apps/api/src counts as a feature.
const sharedFolders = 'http|runtime|testing';
const feature = `^apps/api/src/(?!(?:${sharedFolders})/)[^/]+/`;
const composition = ['^apps/api/src/(?:container|main|worker|cli|demo)[.]ts$', '^apps/api/src/runtime/'];
const testsOfTheComposition = '^apps/api/src/[^/]+[.]test[.]ts$';

const npm = (names = '[^/]+') => `(?:^|/)node_modules/(?:@types/)?(?:${names})/`;
const apps = '^(?:apps/|@back-office/api(?:/|$))';

const forbidden = [
  {
    name: 'pure-packages-import-no-node',
    comment: 'A pure package uses no file system, network or process; callers pass everything as arguments.',
    from: { path: pure, pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'pure-packages-import-no-npm',
    comment: 'A pure package imports no library, except for the folding of texts that both databases share.',
    from: { path: pure, pathNot: ['^packages/database/src/folding[.]ts$', ...tests] },
    to: { path: npm() },
  },
  {
    name: 'pure-packages-import-only-kernel',
    comment:
      'Pure packages import only the kernel and the matching of rows. `database` lists the ports of all packages.',
    from: { path: pure, pathNot: '^packages/database/' },
    to: {
      path: '^(?:packages/|@back-office/)',
      pathNot: ['^packages/(?:$1|kernel|matching)/', '^@back-office/(?:api|$1|kernel|matching)'],
    },
  },
  {
    name: 'pure-tests-import-only-fast-check',
    comment: 'Adapter authors run the tests of pure packages, so the tests import few libraries.',
    from: { path: [`${pure}(?:src/)?testing/`, `${pure}src/.*[.](?:test|contract)[.]ts$`] },
    to: { path: npm(), pathNot: npm('fast-check|expect|@jest') },
  },
  {
    name: 'testing-folders-import-no-node',
    comment: 'The testing folder of a pure package is published, so it imports nothing from Node.',
    from: { path: `${pure}(?:src/)?testing/`, pathNot: '[.]test[.]ts$' },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'server-libraries-only-in-the-api',
    comment: 'HTTP and the container belong to apps/api.',
    from: { pathNot: '^apps/api/' },
    to: { path: npm('express|multer|inversify') },
  },
  {
    name: 'decorators-from-request-fields',
    comment: 'The decorators of class-validator have messages that are no message keys; request-fields.ts sets ours.',
    from: { pathNot: '^apps/api/src/http/' },
    to: { path: npm('class-(?:validator|transformer|validator-jsonschema)') },
  },
  {
    name: 'database-libraries-only-in-the-adapter',
    comment: 'One replaceable package contains all persistence.',
    from: {
      pathNot: ['^packages/database-postgres/', ...tests],
    },
    to: { path: npm('typeorm|pg') },
  },
  {
    name: 'ports-instead-of-the-database',
    comment: 'Routes and use cases import ports, so that the database adapter can be replaced.',
    from: {
      path: '^apps/api/src/',
      pathNot: ['^apps/api/src/(?:runtime|docs)/', '^apps/api/src/cli[.]ts$', ...tests],
    },
    to: { path: '^(?:packages/|@back-office/)database-' },
  },
  {
    name: 'ports-instead-of-adapters',
    comment: 'Routes and use cases import ports. The runtime and `media/library.ts` open the adapters.',
    from: {
      path: '^apps/api/src/',
      pathNot: ['^apps/api/src/(?:runtime|docs)/', '^apps/api/src/media/library[.]ts$', ...tests],
    },
    to: { path: '^(?:packages/|@back-office/)(?:storage|images|pages|upload|facts)-' },
  },
  {
    name: 'no-cycles',
    comment: 'Types count, too. Merge files that import each other, or extract the shared part.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'packages-through-their-index',
    comment: 'What src/index.ts does not export is nobody else’s business.',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: {
      path: [
        '^packages/[^/]+/(?!src/(?:processes/)?index[.]ts$|src/testing/|testing/|dist/)',
        '^@back-office/(?!api/)[^/]+/(?!testing(?:/|$)|processes$)',
      ],
      pathNot: '^$1/$2/',
    },
  },
  {
    name: 'packages-by-their-name',
    comment: 'A relative path into another package breaks when the package is published.',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: { dependencyTypes: ['local'], pathNot: ['^$1/$2/', '^examples/'] },
  },
  {
    name: 'testing-only-from-tests',
    comment: 'Fakes, builders and contract suites are not part of the service.',
    from: { path: '^(?:packages|apps)/', pathNot: tests },
    to: { path: ['^(?:packages|apps)/[^/]+/(?:src/)?testing/', '^@back-office/[^/]+/testing'] },
  },
  {
    name: 'packages-never-import-apps',
    from: { path: pure },
    to: { path: apps },
  },
  {
    name: 'adapters-never-import-apps',
    comment: 'An adapter or the client may use its npm libraries, but must run without this application.',
    from: { path: [adapter, client] },
    to: { path: apps },
  },
  {
    name: 'features-through-their-index',
    comment: 'A feature’s index.ts lists what it offers to the other features.',
    from: {
      path: '^apps/api/src/([^/]+)',
      pathNot: ['^apps/api/src/http/', testsOfTheComposition, ...composition],
    },
    to: { path: feature, pathNot: ['^apps/api/src/$1/', `${feature}index[.]ts$`] },
  },
  {
    name: 'http-knows-no-feature',
    comment: 'Features pass their routes to http/ through the composition files.',
    from: { path: '^apps/api/src/http/' },
    to: { path: feature },
  },
  {
    name: 'workspace-imports-reach-the-source',
    comment: 'Imports in dist/ are not followed, so no other rule would check them.',
    // Jest loads the global set-up without a transform, so this file imports built code.
    from: { pathNot: ['/dist/', 'testing/global-setup[.]mjs$'] },
    to: { path: '^(?:packages|apps)/[^/]+/dist/' },
  },
  {
    name: 'imports-resolve',
    comment: 'No rule can check an import that does not resolve.',
    from: {},
    to: { couldNotResolve: true, pathNot: '^@back-office/(?:api(?:/|$)|[^/]+/.)' },
  },
];

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // Does not follow these folders. Excluding them would also drop the imports of their files.
    doNotFollow: { path: ['node_modules', '/dist/', '/[.]cache/'] },
    // With TypeScript 7, the default parser is acorn, which misses `export type … from`.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['back-office:source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
