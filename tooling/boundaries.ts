/** What one folder may import. A package name stands for its door; `node:*` for any built-in. */
export interface Boundary {
  readonly folder: string
  readonly packages: readonly string[]
  readonly thirdParty: readonly string[]
  /** Third-party imports allowed in a part of the folder only. */
  readonly onlyIn?: Readonly<Record<string, readonly string[]>>
}

/** The arrows of docs/architecture.md as data: a package imports core or nothing, an app imports packages, only cli starts server. */
export const boundaries: readonly Boundary[] = [
  { folder: 'packages/core/src', packages: [], thirdParty: [] },
  { folder: 'packages/views/src', packages: ['@svc/core'], thirdParty: ['valibot'], onlyIn: { '@valibot/to-json-schema': ['openapi.ts'] } },
  {
    folder: 'packages/config/src',
    packages: ['@svc/core'],
    thirdParty: ['toml', 'node:path', 'node:net', 'node:url'],
  },
  {
    folder: 'packages/collector/src',
    packages: ['@svc/core'],
    thirdParty: ['ky', 'valibot', 'node:fs', 'node:fs/promises', 'node:path', 'node:crypto', 'node:util'],
    onlyIn: { hono: ['testing/'] },
  },
  {
    folder: 'packages/history/src',
    packages: ['@svc/core'],
    thirdParty: ['drizzle-orm', 'better-sqlite3', 'valibot', 'node:fs', 'node:path', 'node:crypto', 'node:module'],
  },
  {
    folder: 'packages/redact/src',
    packages: ['@svc/core'],
    thirdParty: ['node:fs', 'node:path', 'node:net', 'node:crypto', 'node:module', 'node:url'],
    onlyIn: { 'better-sqlite3': ['database/', 'verify/'] },
  },
  { folder: 'packages/demo/src', packages: ['@svc/core'], thirdParty: [] },
  {
    folder: 'apps/server/src',
    packages: ['@svc/core', '@svc/views', '@svc/views/openapi', '@svc/config', '@svc/collector', '@svc/demo'],
    thirdParty: ['hono', '@hono/node-server', 'node:*'],
    onlyIn: {
      // The rest of the server knows the store by its types and by its threads.
      '@svc/history': ['store/'],
      'prom-client': ['metrics/', 'routes/metrics.ts'],
      '@svc/core/testing': ['testing/'],
    },
  },
  // A client like any other: it knows the payloads by their types, writes numbers as they do, and hides names as the redaction does.
  {
    folder: 'apps/dashboard/src',
    packages: ['@svc/core', '@svc/views', '@svc/views/format'],
    thirdParty: ['preact', '@preact/signals', 'uplot'],
  },
  // What doctor and the alerts say is worded where health words it.
  {
    folder: 'apps/cli/src',
    packages: ['@svc/core', '@svc/config', '@svc/collector', '@svc/redact', '@svc/views/messages'],
    thirdParty: ['cac', 'tldts', 'node:*'],
    onlyIn: {
      '@svc/server': ['commands/run.ts'],
      '@svc/server/pipeline': ['pipeline.ts'],
      '@svc/history': ['bundle/', 'commands/backup.ts', 'doctor/store-checks.ts', 'doctor/testing/', 'run-cli.test.ts'],
      '@svc/core/testing': ['testing/', 'doctor/testing/'],
      '@svc/collector/testing': ['doctor/testing/'],
    },
  },
]

/** Packages every test may import besides what its folder may. */
const TEST_ONLY = ['vitest', 'fast-check', '@svc/core/testing', '@svc/collector/testing', 'node:*']

export interface SourceFile {
  /** Relative to the top, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Every import that breaks an arrow, as one readable line each. Files outside all folders of the table are passed over. */
export function brokenArrows(files: readonly SourceFile[], table: readonly Boundary[] = boundaries): readonly string[] {
  return files.flatMap((file) => {
    const boundary = table.find((candidate) => file.path.startsWith(`${candidate.folder}/`))
    if (boundary === undefined) return []
    return importsOf(file.text).flatMap((specifier) => {
      const problem = problemWith(specifier, file.path, boundary)
      return problem === null ? [] : [`${file.path} imports ${specifier}: ${problem}`]
    })
  })
}

function problemWith(specifier: string, path: string, boundary: Boundary): string | null {
  const inFolder = path.slice(boundary.folder.length + 1)
  if (specifier.startsWith('.')) return leavesFolder(inFolder, specifier) ? 'a package is entered by its door only' : null

  const allowed = [...boundary.packages, ...boundary.thirdParty]
  if (isTest(path)) allowed.push(...TEST_ONLY)
  for (const [dependency, places] of Object.entries(boundary.onlyIn ?? {})) {
    if (places.some((place) => inFolder.startsWith(place))) allowed.push(dependency)
  }
  return allowed.some((name) => matches(specifier, name)) ? null : `not among ${allowed.join(', ') || 'nothing'}`
}

function matches(specifier: string, name: string): boolean {
  if (name.endsWith('*')) return specifier.startsWith(name.slice(0, -1))
  // Doors of our own packages are exact; a third party may have several.
  return specifier === name || (!name.startsWith('@svc/') && !name.startsWith('node:') && specifier.startsWith(`${name}/`))
}

function leavesFolder(inFolder: string, specifier: string): boolean {
  let depth = inFolder.split('/').length - 1
  for (const part of specifier.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '')
}
