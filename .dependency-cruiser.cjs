// Who may import whom. Each rule is broken once on purpose in apps/api/src/architecture.test.ts.

// A package that is not an adapter is pure: a new one is fenced in from its first file.
const adapters = 'storage|images|svg|pages|facts|database|wasm';
const adapter = `^packages/(?:${adapters})-[^/]+/`;
const pure = `^packages/(?!(?:${adapters})-)([^/]+)/`;
const tests = ['[.](?:test|contract)[.]ts$', '^(?:packages|apps)/[^/]+/(?:src/)?testing/'];

// Likewise every folder of apps/api/src that is none of these rooms is a feature.
const rooms = 'http|runtime|testing';
const feature = `^apps/api/src/(?!(?:${rooms})/)[^/]+/`;
const composition = ['^apps/api/src/(?:container|main|worker|cli|demo)[.]ts$', '^apps/api/src/runtime/'];
const testsOfTheComposition = '^apps/api/src/[^/]+[.]test[.]ts$';

const npm = (names = '[^/]+') => `(?:^|/)node_modules/(?:@types/)?(?:${names})/`;
const apps = '^(?:apps/|@back-office/api(?:/|$))';

const forbidden = [
  {
    name: 'pure-packages-import-no-node',
    comment: 'A pure package knows no file system, no network and no process: what it needs arrives as an argument.',
    from: { path: pure, pathNot: tests },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'pure-packages-import-no-npm',
    comment: 'A pure package is plain TypeScript.',
    from: { path: pure, pathNot: tests },
    to: { path: npm() },
  },
  {
    name: 'pure-packages-import-only-kernel',
    comment:
      'Pure packages do not know one another; what they share is in the kernel, or is how rows are matched. `database` lists the ports of all.',
    from: { path: pure, pathNot: '^packages/database/' },
    to: {
      path: '^(?:packages/|@back-office/)',
      pathNot: ['^packages/(?:$1|kernel|matching)/', '^@back-office/(?:api|$1|kernel|matching)'],
    },
  },
  {
    name: 'pure-tests-import-only-fast-check',
    comment: 'Tests and testing folders of a pure package run for everybody, with few libraries.',
    from: { path: [`${pure}(?:src/)?testing/`, `${pure}src/.*[.](?:test|contract)[.]ts$`] },
    to: { path: npm(), pathNot: npm('fast-check|expect|@jest') },
  },
  {
    name: 'testing-folders-import-no-node',
    comment: 'The testing folder of a pure package is published to whoever writes an adapter: no node there either.',
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
    name: 'database-libraries-only-in-the-adapter',
    comment: 'Persistence is one package, which can be swapped.',
    from: {
      pathNot: ['^packages/database-postgres/', '^apps/api/src/(?:bench|faults|differential|mutants)/', ...tests],
    },
    to: { path: npm('typeorm|pg') },
  },
  {
    name: 'ports-instead-of-the-database',
    comment: 'Routes and use cases know ports: whoever swaps the database must not find its adapter in them.',
    from: {
      path: '^apps/api/src/',
      pathNot: [
        '^apps/api/src/(?:runtime|docs|bench|faults|differential|mutants)/',
        '^apps/api/src/cli[.]ts$',
        ...tests,
      ],
    },
    to: { path: '^(?:packages/|@back-office/)database-' },
  },
  {
    name: 'ports-instead-of-adapters',
    comment: 'Routes and use cases know ports. The runtime and `media/library.ts` open the adapters.',
    from: {
      path: '^apps/api/src/',
      pathNot: [
        '^apps/api/src/(?:runtime|docs|bench|faults|differential|mutants)/',
        '^apps/api/src/media/library[.]ts$',
        ...tests,
      ],
    },
    to: { path: '^(?:packages/|@back-office/)(?:storage|images|svg|pages|facts|wasm)-' },
  },
  {
    name: 'no-cycles',
    comment: 'Types count too: two files that need each other are one file, or three.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'packages-through-their-index',
    comment: 'What src/index.ts does not export is nobody else’s business.',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: {
      path: [
        '^packages/[^/]+/(?!src/(?:index[.]ts$|testing/)|testing/|dist/)',
        '^@back-office/(?!api/)[^/]+/(?!testing(?:/|$))',
      ],
      pathNot: '^$1/$2/',
    },
  },
  {
    name: 'packages-by-their-name',
    comment: 'A path out of the own package works here and breaks once that package is published.',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: { dependencyTypes: ['local'], pathNot: ['^$1/$2/', '^examples/'] },
  },
  {
    name: 'testing-only-from-tests',
    comment: 'Fakes, builders and contract suites do not ship.',
    from: { path: '^(?:packages|apps)/', pathNot: ['^apps/api/src/differential/', ...tests] },
    to: { path: ['^(?:packages|apps)/[^/]+/(?:src/)?testing/', '^@back-office/[^/]+/testing'] },
  },
  {
    name: 'packages-never-import-apps',
    from: { path: pure },
    to: { path: apps },
  },
  {
    name: 'adapters-never-import-apps',
    comment: 'An adapter may use its npm libraries, but must run without this application.',
    from: { path: adapter },
    to: { path: apps },
  },
  {
    name: 'features-through-their-index',
    comment: 'A feature’s index.ts lists what it offers to the other features.',
    from: {
      path: '^apps/api/src/([^/]+)',
      // The bench asks the database the very questions that a feature asks it, and the faults look behind its back.
      pathNot: ['^apps/api/src/(?:http|bench|faults|differential|mutants)/', testsOfTheComposition, ...composition],
    },
    to: { path: feature, pathNot: ['^apps/api/src/$1/', `${feature}index[.]ts$`] },
  },
  {
    name: 'http-knows-no-feature',
    comment: 'Features bring their routes to http/; the composition files introduce them.',
    from: { path: '^apps/api/src/http/' },
    to: { path: feature },
  },
  {
    name: 'workspace-imports-reach-the-source',
    comment: 'An import that lands in dist/ is not followed, and every rule above goes blind behind it.',
    // Jest loads its global set-up without the transform, so that one file runs what was built.
    from: { pathNot: ['/dist/', 'testing/global-setup[.]mjs$'] },
    to: { path: '^(?:packages|apps)/[^/]+/dist/' },
  },
  {
    name: 'imports-resolve',
    comment: 'An import that cannot be found cannot be judged.',
    from: {},
    to: { couldNotResolve: true, pathNot: '^@back-office/(?:api(?:/|$)|[^/]+/.)' },
  },
];

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // Not excluded: an excluded folder takes the edges into it along.
    doNotFollow: { path: ['node_modules', '/dist/', '/[.]cache/'] },
    // Without this TypeScript 7 leaves only acorn's guesswork, which misses `export type … from`.
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['back-office:source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
