import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { licenceList } from './licences.mjs'

const beside = (/** @type {string} */ name) => join(import.meta.dirname, name)

/**
 * How the modules find each other, and which packages stay outside.
 * @type {Readonly<Record<string, import('esbuild').BuildOptions>>}
 */
const FORMS = {
  script: {
    format: 'esm',
    splitting: true,
    external: ['better-sqlite3', 'pg'],
    // CommonJS dependencies such as prom-client call require() for node built-ins.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
  // It loads only what is in it, and code that V8 has compiled before cannot call import().
  executable: {
    format: 'cjs',
    supported: { 'dynamic-import': false },
    external: ['pg-native'],
    alias: { 'node:module': beside('inside-executable.cjs') },
    define: { 'import.meta.url': '"sea:///main.js"' },
  },
}

/**
 * Writes the program and its page into a folder. The working directory is that of apps/cli.
 * @param {string} form
 * @param {string} folder
 */
export async function bundleProgram(form, folder) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { BUILD_COMMIT: commit = '' } = process.env
  rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    ...FORMS[form],
    entryPoints: {
      main: 'src/main.ts',
      pipeline: 'src/pipeline.ts',
      'store-writer': '../../packages/monitor/src/store/store-writer.entry.ts',
      'store-reader': '../../packages/monitor/src/store/store-reader.entry.ts',
      'store-leases': '../../packages/monitor/src/leases/store-leases.entry.ts',
    },
    outdir: folder,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    sourcemap: false,
    legalComments: 'none',
    alias: {
      ...FORMS[form]?.alias,
      '@opentelemetry/api': beside('not-called.mjs'),
      tdigest: beside('not-called.mjs'),
    },
    // Names stay, for stack traces.
    minifyWhitespace: true,
    define: {
      ...FORMS[form]?.define,
      __VERSION__: JSON.stringify(commit === '' ? version : `${version}+${commit}`),
    },
  })
  writeFileSync(join(folder, 'LICENCES.txt'), licenceList(Object.keys(metafile?.inputs ?? {})))
  chmodSync(join(folder, 'main.js'), 0o755)
  // The page is served from beside the program.
  cpSync('../dashboard/dist', join(folder, 'dashboard'), { recursive: true })
}
