/** What one folder may import. A package name stands for its door; `node:*` for any built-in. */
export interface Boundary {
  readonly folder: string
  readonly packages: readonly string[]
  readonly thirdParty: readonly string[]
  /** Third-party imports allowed in a part of the folder only. */
  readonly onlyIn?: Readonly<Record<string, readonly string[]>>
  /**
   * Which folders inside may import which, `.` being the files beside them, `a/*` every folder in `a` that has no row of its own: a folder
   * without a row imports nothing but its own files.
   * The door `index.ts` and tests import from all of them.
   */
  readonly arrows: Arrows
}

export type Arrows = Readonly<Record<string, readonly string[]>>

/** The doors of core: its rules as published, records of usage, and what only our own programs need. */
const CORE = [
  '@svc/core',
  '@svc/core/account',
  '@svc/core/health',
  '@svc/core/notify',
  '@svc/core/pool',
  '@svc/core/service',
  '@svc/core/usage',
]

/** The arrows of docs/architecture.md as data: a package imports core or nothing (deploy: settings and words too, client: types of views, some: json-stream, secret-files or sqlite; notify: secret-files), an app packages, only cli starts server. */
export const boundaries: readonly Boundary[] = [
  {
    folder: 'packages/core/src',
    packages: [],
    thirdParty: [],
    // A stage sees those before it; evaluate.ts, beside the folders, sees all of them.
    arrows: {
      clock: ['facts'],
      usage: ['facts'],
      privacy: ['facts'],
      account: ['facts'],
      fleet: ['facts', 'account'],
      pool: ['facts', 'account'],
      health: ['facts', 'account', 'pool'],
      notify: ['facts'],
      '.': ['facts', 'account', 'pool', 'health'],
      service: ['facts', 'account', 'fleet', 'pool', 'health', 'clock', 'privacy'],
      testing: ['facts', 'account', 'health', '.'],
    },
  },
  {
    folder: 'packages/views/src',
    packages: CORE,
    thirdParty: ['valibot'],
    onlyIn: { '@valibot/to-json-schema': ['openapi.ts'], '@svc/core/testing': ['testing/'] },
    arrows: {
      'messages/conditions': ['format'],
      'messages/names': ['format', 'messages/conditions'],
      'messages/en': ['format', 'messages/conditions', 'messages/names'],
      'messages/zh-cn': ['format', 'messages/conditions', 'messages/en', 'messages/names'],
      messages: [
        'format',
        'language',
        'messages/conditions',
        'messages/en',
        'messages/names',
        'messages/zh-cn',
      ],
      payloads: ['changes', 'format', 'language', 'messages', 'messages/en', 'messages/names'],
      '.': ['payloads'],
      testing: [],
    },
  },
  { folder: 'packages/json-stream/src', packages: [], thirdParty: [], arrows: {} },
  {
    folder: 'packages/secret-files/src',
    packages: ['@svc/core/service'],
    thirdParty: ['node:fs', 'node:path'],
    arrows: {},
  },
  {
    folder: 'packages/notify/src',
    packages: ['@svc/core', '@svc/core/notify', '@svc/core/service', '@svc/secret-files'],
    thirdParty: [],
    onlyIn: {
      'node:fs': ['testing/'],
      'node:http': ['testing/'],
      'node:net': ['testing/'],
      'node:os': ['testing/'],
      'node:path': ['testing/'],
      '@svc/core/testing': ['testing/'],
    },
    arrows: { '.': ['kinds'], testing: ['.'] },
  },
  {
    folder: 'packages/config/src',
    packages: ['@svc/core', '@svc/core/notify', '@svc/core/service'],
    thirdParty: ['toml', 'valibot', 'node:path', 'node:net', 'node:url'],
    arrows: { testing: ['.'] },
  },
  {
    folder: 'packages/collector/src',
    packages: [...CORE, '@svc/json-stream', '@svc/secret-files'],
    thirdParty: ['valibot', 'node:fs', 'node:fs/promises', 'node:path', 'node:crypto', 'node:util'],
    onlyIn: {
      ky: ['proxy/request.ts'],
      'node:http': ['testing/'],
      'node:net': ['testing/'],
      'node:os': ['testing/'],
      '@svc/core/testing': ['testing/'],
      '@svc/fake-proxy': ['testing/'],
    },
    arrows: {
      proxy: ['wire'],
      polling: ['proxy'],
      'providers/*': ['providers/contract', 'wire'],
      providers: ['providers/*', 'providers/contract'],
      accounts: ['providers', 'providers/contract', 'proxy', 'wire'],
      transports: ['files', 'providers', 'providers/contract', 'proxy'],
      usage: ['polling', 'providers', 'providers/contract', 'proxy', 'wire'],
      quota: ['polling', 'providers/contract', 'proxy', 'transports'],
      sources: ['accounts', 'files', 'polling', 'proxy', 'quota', 'transports', 'usage', 'wire'],
      '.': ['accounts', 'files', 'proxy', 'sources', 'usage'],
      fleet: ['.', 'files', 'polling', 'quota', 'sources', 'usage'],
      testing: ['polling', 'providers/contract', 'proxy', 'sources', 'usage', '.'],
    },
  },
  // The proxy that tests and tooling ask; no program contains it.
  {
    folder: 'packages/fake-proxy/src',
    packages: ['@svc/core'],
    thirdParty: ['hono', 'node:crypto', 'node:fs'],
    arrows: { '.': ['vendors'], testing: ['.'] },
  },
  {
    folder: 'packages/sqlite/src',
    packages: [],
    thirdParty: ['better-sqlite3', 'node:module', 'node:url'],
    arrows: {},
  },
  {
    folder: 'packages/history/src',
    packages: [...CORE, '@svc/secret-files', '@svc/sqlite'],
    thirdParty: ['drizzle-orm', 'valibot', 'node:fs', 'node:path', 'node:crypto'],
    onlyIn: {
      pg: ['postgres/'],
      'node:module': ['postgres/', 'testing/'],
      'node:child_process': ['testing/'],
      'node:events': ['testing/'],
      'node:net': ['testing/'],
      'node:os': ['testing/'],
      'node:timers/promises': ['testing/'],
      'node:util': ['testing/'],
    },
    // Two engines; what they share stands beside them: what a store must offer, statements both understand, how usage is summed up, how the pool is remembered.
    arrows: {
      sql: ['contract', 'pool', 'usage'],
      sqlite: ['contract', 'pool', 'sql', 'sqlite/migrations', 'usage'],
      postgres: ['contract', 'pool', 'postgres/migrations', 'sql', 'usage'],
      'backup/format': ['contract'],
      'backup/sqlite': ['backup/format', 'contract', 'sqlite', 'usage'],
      'backup/postgres': ['backup/format', 'contract', 'postgres', 'usage'],
      backup: [
        'backup/format',
        'backup/postgres',
        'backup/sqlite',
        'contract',
        'postgres',
        'sqlite',
      ],
      move: ['backup/format', 'backup/postgres', 'backup/sqlite', 'contract', 'postgres', 'usage'],
      '.': ['contract', 'postgres', 'sqlite'],
      testing: ['contract', 'postgres', 'sql', 'sqlite', 'usage', '.'],
    },
  },
  {
    folder: 'packages/redact/src',
    packages: ['@svc/core', '@svc/json-stream', '@svc/sqlite'],
    thirdParty: ['node:fs', 'node:path', 'node:net', 'node:crypto', 'node:module', 'node:url'],
    arrows: {
      patterns: ['.'],
      names: ['patterns', '.'],
      spellings: ['patterns'],
      structure: ['names', 'patterns', 'spellings', '.'],
      known: ['spellings', '.'],
      document: ['known', 'structure', '.'],
      database: ['document', 'known', 'names', 'structure', '.'],
      collect: ['database', 'document', 'known', 'names', 'spellings', '.'],
      files: ['collect', 'document', 'known', '.'],
      verify: ['known'],
      run: ['collect', 'database', 'document', 'files', 'known', 'verify', '.'],
      testing: ['document', 'known', '.'],
    },
  },
  {
    folder: 'packages/demo/src',
    packages: CORE,
    thirdParty: [],
    arrows: { testing: ['.'] },
  },
  // Artifacts are made from the settings, and an alert says what health says.
  {
    folder: 'packages/deploy/src',
    packages: [
      '@svc/core',
      '@svc/core/notify',
      '@svc/core/pool',
      '@svc/core/service',
      '@svc/config',
      '@svc/views/messages',
    ],
    thirdParty: ['node:path', 'yaml'],
    onlyIn: {
      yaml: ['templates/compose-files.test.ts', 'templates/widgets.test.ts'],
      'node:child_process': ['testing/'],
      'node:fs': ['testing/'],
      '@svc/config/testing': ['testing/'],
    },
    arrows: {
      templates: ['installation'],
      '.': ['installation', 'templates'],
      testing: ['installation'],
    },
  },
  {
    folder: 'apps/server/src',
    packages: [
      ...CORE,
      '@svc/views',
      '@svc/views/openapi',
      '@svc/config',
      '@svc/collector',
      '@svc/collector/settings',
      '@svc/demo',
      '@svc/notify',
      '@svc/secret-files',
    ],
    thirdParty: ['hono', '@hono/node-server', 'node:*'],
    onlyIn: {
      '@svc/views/changes': ['monitor/payload-versions.test.ts'],
      // The rest of the server knows the store by its types and by its threads.
      '@svc/history': ['leases/', 'store/'],
      'prom-client': ['metrics/'],
      '@svc/core/testing': ['testing/'],
    },
    arrows: {
      leases: ['threads'],
      store: ['answers', 'clock', 'leases', 'metrics', 'threads'],
      metrics: ['guards'],
      monitor: ['answers', 'metrics', 'store'],
      notify: ['metrics', 'store'],
      pipeline: [
        'answers',
        'clock',
        'guards',
        'leases',
        'metrics',
        'monitor',
        'notify',
        'store',
        'threads',
      ],
      routes: ['answers', 'guards'],
      http: ['answers', 'guards', 'metrics', 'monitor', 'routes', 'store', 'threads'],
      '.': ['answers', 'guards', 'http', 'metrics', 'pipeline', 'routes', 'store'],
      testing: ['answers', 'guards', 'http', 'monitor', 'routes'],
    },
  },
  // A client like any other: it knows the payloads by their types, writes numbers as they do, and hides names as the redaction does.
  {
    folder: 'apps/dashboard/src',
    packages: [
      '@svc/core/account',
      '@svc/core/health',
      '@svc/core/pool',
      '@svc/core/service',
      '@svc/views',
      '@svc/views/changes',
      '@svc/views/format',
      '@svc/views/format/zh-cn',
    ],
    thirdParty: ['preact', '@preact/signals', 'uplot'],
    onlyIn: {
      '@svc/core': ['testing/'],
      '@svc/core/usage': ['testing/'],
      '@svc/core/testing': ['testing/'],
      'happy-dom': ['testing/'],
    },
    arrows: {
      'words/zh-cn': ['words'],
      state: ['words'],
      parts: ['state', 'words'],
      views: ['parts', 'state', 'words'],
      // The frame around the views, made of their table.
      shell: ['parts', 'state', 'views', 'words'],
      '.': ['parts', 'shell', 'state'],
      testing: ['state'],
    },
  },
  // It knows the payloads by their types alone; the one rule it applies is built into it, so that it depends on nothing.
  {
    folder: 'packages/client/src',
    packages: ['@svc/core', '@svc/views'],
    thirdParty: [],
    onlyIn: {
      '@valibot/to-json-schema': ['payload-schemas.entry.ts'],
      valibot: ['payload-schemas.entry.ts'],
    },
    arrows: {},
  },
  // What doctor says is worded where health words it.
  {
    folder: 'apps/cli/src',
    packages: [
      '@svc/core',
      '@svc/core/health',
      '@svc/core/notify',
      '@svc/core/pool',
      '@svc/core/service',
      '@svc/client',
      '@svc/config',
      '@svc/collector',
      '@svc/deploy',
      '@svc/notify',
      '@svc/redact',
      '@svc/secret-files',
      '@svc/views/csv',
      '@svc/views/format',
      '@svc/views/language',
      '@svc/views/messages',
      '@svc/views/usage-month',
    ],
    thirdParty: ['cac', 'fast-string-width', 'tldts', 'valibot', 'node:*'],
    onlyIn: {
      '@svc/server': ['commands/run.ts'],
      '@svc/server/pipeline': ['pipeline.ts'],
      '@svc/history': [
        'bundle/',
        'commands/backup.ts',
        'commands/export-usage.test.ts',
        'commands/export-usage.ts',
        'commands/init-postgres.test.ts',
        'commands/migrate.test.ts',
        'commands/migrate.ts',
        'doctor/database-checks.ts',
        'doctor/outgrown-check.test.ts',
        'doctor/outgrown-check.ts',
        'doctor/secret-files.test.ts',
        'doctor/store-checks.test.ts',
        'doctor/store-checks.ts',
        'doctor/testing/',
        'redact/',
        'run-cli.test.ts',
      ],
      '@svc/sqlite': ['doctor/testing/'],
      '@svc/history/testing': ['commands/', 'doctor/', 'redact/'],
      '@svc/core/testing': ['testing/', 'doctor/testing/'],
      '@svc/fake-proxy': ['doctor/testing/'],
    },
    arrows: {
      doctor: ['program'],
      redact: ['program'],
      bundle: ['doctor', 'program'],
      plan: ['program', 'redact'],
      top: ['glance', 'program', 'redact'],
      commands: ['bundle', 'doctor', 'glance', 'plan', 'program', 'redact', 'service', 'top'],
      service: ['program'],
      '.': ['commands', 'glance', 'program', 'service'],
      testing: ['program', '.'],
      'doctor/testing': ['doctor', 'program', 'testing'],
    },
  },
]
