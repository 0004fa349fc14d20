/** Allowed imports of one folder, as names separated by blanks. A package name stands for its entry point; `node:*` for any built-in. */
export interface Boundary {
  readonly folder: string
  readonly packages: string
  readonly thirdParty: string
  /** Imports allowed in a part of the folder only. Tests and the folder `testing` may also import the names in TEST_ONLY. */
  readonly onlyIn?: Readonly<Record<string, string>>
  /**
   * Allowed imports between the folders inside: `.` is the files beside them, `a/*` every folder in `a` without a row of its own. A folder without a
   * row imports only its own files. The entry point `index.ts` and tests import from all folders.
   */
  readonly arrows: Arrows
}

export type Arrows = Readonly<Record<string, string>>

/** The names of a row. */
export function namesIn(row = ''): readonly string[] {
  return row.split(/\s+/).filter((name) => name !== '')
}

/** Entry points of core: its published rules, usage records, and code for our own programs only. */
const CORE =
  '@svc/core @svc/core/account @svc/core/health @svc/core/money @svc/core/notify @svc/core/pool @svc/core/service @svc/core/usage'

/**
 * The arrows of docs/architecture.md as data. A package imports core or nothing (deploy: settings and words too, client: types of views, some:
 * json-stream, secret-files or sqlite; notify: secret-files), an app imports packages, and only cli starts server.
 */
export const boundaries: readonly Boundary[] = [
  {
    folder: 'packages/core/src',
    packages: '',
    thirdParty: '',
    // A stage sees those before it; evaluate.ts, beside the folders, sees all of them.
    arrows: {
      clock: 'facts',
      usage: 'facts',
      money: 'facts usage',
      privacy: 'facts',
      account: 'facts',
      fleet: 'facts account',
      pool: 'facts account',
      health: 'facts account pool',
      notify: 'facts',
      '.': 'facts account pool health',
      service: 'facts account fleet pool health clock privacy',
      testing: 'facts account health usage .',
    },
  },
  {
    folder: 'packages/views/src',
    packages: CORE,
    thirdParty: 'valibot',
    onlyIn: { '@valibot/to-json-schema': 'openapi.ts' },
    arrows: {
      'messages/conditions': 'format',
      'messages/names': 'format messages/conditions',
      'messages/en': 'format messages/conditions messages/names',
      'messages/zh-cn': 'format messages/conditions messages/en messages/names',
      messages: 'format language messages/conditions messages/en messages/names messages/zh-cn',
      payloads: 'format language messages messages/en messages/names',
      '.': 'payloads',
      testing: 'messages messages/en',
    },
  },
  { folder: 'packages/json-stream/src', packages: '', thirdParty: '', arrows: {} },
  {
    folder: 'packages/secret-files/src',
    packages: '@svc/core/service',
    thirdParty: 'node:fs node:path',
    arrows: {},
  },
  {
    folder: 'packages/notify/src',
    packages: '@svc/core @svc/core/notify @svc/core/service @svc/secret-files',
    thirdParty: '',
    arrows: { '.': 'kinds', testing: '.' },
  },
  {
    folder: 'packages/config/src',
    packages: '@svc/core @svc/core/money @svc/core/notify @svc/core/service @svc/core/usage',
    thirdParty: 'toml valibot node:path node:net node:url',
    arrows: { testing: '.' },
  },
  {
    folder: 'packages/collector/src',
    packages: `${CORE} @svc/json-stream @svc/secret-files`,
    thirdParty:
      'valibot node:fs node:fs/promises node:path node:crypto node:util node:net node:tls',
    onlyIn: { ky: 'proxy/request.ts' },
    arrows: {
      files: 'wire',
      proxy: 'wire',
      polling: 'proxy',
      'providers/*': 'providers/contract wire',
      providers: 'providers/* providers/contract',
      accounts: 'providers providers/contract proxy wire',
      transports: 'files providers providers/contract providers/plugin proxy wire',
      usage: 'polling providers providers/contract proxy wire',
      recorders: 'usage wire',
      quota: 'accounts polling providers/contract proxy transports',
      sources: 'accounts files polling providers proxy quota transports usage wire',
      '.': 'accounts files proxy sources usage',
      fleet: '. accounts files polling quota sources usage',
      testing: 'polling providers/contract proxy quota sources usage .',
    },
  },
  // The proxy that tests and tooling ask; no program contains it.
  {
    folder: 'tooling/fake-proxy/src',
    packages: '@svc/core @svc/core/service',
    thirdParty: 'hono node:crypto node:fs node:net',
    arrows: { '.': 'vendors' },
  },
  {
    folder: 'packages/sqlite/src',
    packages: '',
    thirdParty: 'better-sqlite3 node:module node:url',
    arrows: {},
  },
  {
    folder: 'packages/history/src',
    packages: `${CORE} @svc/secret-files @svc/sqlite`,
    thirdParty: 'drizzle-orm valibot node:fs node:path node:crypto node:zlib',
    onlyIn: {
      pg: 'postgres/',
      'node:module': 'postgres/ sqlite/sqlite.ts',
      'node:url': 'sqlite/sqlite.ts',
      'node:stream': 'backup/recorded-file.ts',
      'node:net': 'postgres/session.ts',
    },
    // Two engines; what they share stands beside them: what a store must offer, the tables, statements of both, how usage is summed up, how the pool is remembered.
    arrows: {
      pool: 'schema',
      sql: 'contract pool schema usage',
      sqlite: 'contract schema sql sqlite/migrations usage',
      postgres: 'contract pool postgres/migrations schema sql usage',
      'backup/format': 'contract usage',
      'backup/target': 'backup/format sql usage',
      'backup/sqlite': 'backup/format backup/target contract sql sqlite usage',
      'backup/postgres': 'backup/format backup/target contract postgres sql usage',
      backup:
        'backup/format backup/postgres backup/sqlite backup/target contract postgres sqlite usage',
      move: 'backup/format backup/postgres backup/sqlite backup/target contract postgres sql usage',
      '.': 'contract postgres sql sqlite',
      testing: 'backup/postgres backup/sqlite backup/target contract postgres sql sqlite usage .',
    },
  },
  {
    folder: 'packages/redact/src',
    packages: '@svc/core/service @svc/json-stream @svc/sqlite',
    thirdParty: 'node:fs node:path node:net node:crypto node:module node:string_decoder node:url',
    arrows: {
      names: '.',
      text: 'names vocabulary .',
      known: 'text .',
      redaction: 'known names text .',
      json: 'names redaction text',
      csv: 'json names redaction',
      database: 'files json names redaction .',
      collect: 'database json known redaction .',
      files: 'csv json redaction .',
      verify: 'files known',
      run: 'collect database files known redaction text verify .',
      testing: 'files known run .',
    },
  },
  {
    folder: 'packages/demo/src',
    packages: CORE,
    thirdParty: '',
    arrows: {},
  },
  // Artifacts are made from the settings, and an alert says what health says.
  {
    folder: 'packages/deploy/src',
    packages:
      '@svc/core @svc/core/notify @svc/core/pool @svc/core/service @svc/config @svc/views/messages',
    thirdParty: 'node:path yaml',
    onlyIn: { yaml: 'templates/compose-files.test.ts templates/widgets.test.ts' },
    arrows: {
      templates: 'installation',
      '.': 'installation templates',
      testing: 'installation',
    },
  },
  {
    folder: 'packages/monitor/src',
    packages: `
      ${CORE} @svc/views @svc/config @svc/collector @svc/collector/settings @svc/demo @svc/notify
      @svc/secret-files`,
    thirdParty: 'node:*',
    onlyIn: {
      // The rest knows the store by its types and by its threads.
      '@svc/history': 'leases/ store/',
    },
    arrows: {
      leases: 'threads',
      store: 'answers clock leases metrics threads',
      evaluation: 'answers metrics store',
      notify: 'metrics store',
      pipeline: 'answers clock evaluation leases metrics notify store threads',
      '.': 'answers evaluation log metrics pipeline store threads',
      testing: 'answers evaluation',
    },
  },
  // It answers with what the monitor publishes, and sees the store through it alone.
  {
    folder: 'apps/server/src',
    packages: `${CORE} @svc/views @svc/views/openapi @svc/config @svc/collector/settings @svc/monitor @svc/monitor/program-files`,
    thirdParty: 'hono @hono/node-server node:*',
    onlyIn: {
      'prom-client': 'metrics/',
      '@svc/demo': 'testing/',
    },
    arrows: {
      http: 'guards metrics routes',
      routes: 'guards',
      '.': 'guards http metrics routes',
      testing: 'guards http routes',
    },
  },
  // A client like any other: it knows the payloads by their types, writes numbers as they do, and hides names as the redaction does.
  {
    folder: 'apps/dashboard/src',
    packages: `
      @svc/core/account @svc/core/health @svc/core/pool @svc/core/service @svc/views
      @svc/views/format @svc/views/format/zh-cn @svc/views/unit-names @svc/views/unit-names/zh-cn`,
    thirdParty: 'preact @preact/signals uplot',
    onlyIn: {
      '@svc/core': 'testing/',
      '@svc/core/usage': 'testing/',
      'happy-dom': 'testing/',
      'node:events': 'testing/',
      'node:http': 'testing/',
      'node:net': 'testing/',
    },
    arrows: {
      'words/zh-cn': 'words',
      state: 'words',
      parts: 'state words',
      views: 'parts state words',
      // The frame around the views, made of their table.
      shell: 'parts state views words',
      '.': 'parts shell state',
      testing: 'state',
    },
  },
  // It knows the payloads by their types alone; the one rule it applies is built into it, so that it depends on nothing.
  {
    folder: 'packages/client/src',
    packages: '@svc/core @svc/views',
    thirdParty: '',
    onlyIn: {
      '@valibot/to-json-schema': 'payload-schemas.entry.ts',
      valibot: 'payload-schemas.entry.ts',
    },
    arrows: { testing: '.' },
  },
  // What doctor says is worded where health words it.
  {
    folder: 'packages/doctor/src',
    packages: `
      @svc/core @svc/core/health @svc/core/money @svc/core/notify @svc/core/service @svc/client @svc/config @svc/collector
      @svc/deploy @svc/notify @svc/secret-files @svc/views/format @svc/views/messages`,
    thirdParty: 'tldts node:*',
    onlyIn: {
      '@svc/history': `
        database-checks.ts file-checks.test.ts outgrown-check.test.ts price-checks.ts running-service.ts secret-files.test.ts
        store-checks.test.ts store-checks.ts testing/`,
      '@svc/sqlite': 'testing/',
      '@svc/history/testing': 'doctor.test.ts database-checks.test.ts testing/',
    },
    arrows: { testing: '.' },
  },
  {
    folder: 'packages/setup/src',
    packages: '@svc/core/service @svc/collector @svc/config @svc/deploy @svc/doctor @svc/redact',
    thirdParty: 'valibot yaml node:*',
    onlyIn: { '@clack/prompts': 'questions.ts' },
    arrows: {},
  },
  {
    folder: 'apps/cli/src',
    packages: `
      @svc/core @svc/core/health @svc/core/notify @svc/core/pool @svc/core/service @svc/client @svc/config
      @svc/config/zh-cn @svc/collector @svc/deploy @svc/doctor @svc/monitor/program-files @svc/notify @svc/redact @svc/secret-files @svc/setup @svc/setup/replace-file @svc/setup/start-ways
      @svc/views/csv @svc/views/format @svc/views/language @svc/views/messages @svc/views/usage-month`,
    thirdParty: 'cac fast-string-width valibot node:*',
    onlyIn: {
      '@svc/doctor/public-suffix': 'commands/run.ts',
      '@svc/server': 'commands/run.ts',
      '@svc/monitor': 'commands/run.ts',
      '@svc/monitor/pipeline': 'pipeline.ts',
      '@svc/history': `
        bundle/ commands/backup.ts commands/export-usage.test.ts commands/export-usage.ts
        commands/import-records.test.ts
        commands/init-postgres.test.ts commands/migrate.test.ts commands/migrate.ts redact/ run-cli.test.ts`,
      '@svc/history/testing': 'commands/ redact/',
    },
    arrows: {
      redact: 'program',
      bundle: 'program',
      glance: 'plan program',
      plan: 'program redact',
      top: 'glance program redact',
      commands: 'bundle glance plan program redact service top',
      service: 'program',
      '.': 'commands glance program service',
      testing: 'program .',
    },
  },
]
