import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { licenceList } from './licences.mjs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const { BUILD_COMMIT: commit = '' } = process.env

rmSync('dist', { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: {
    main: 'src/main.ts',
    pipeline: 'src/pipeline.ts',
    'store-writer': '../../packages/monitor/src/store/store-writer.entry.ts',
    'store-reader': '../../packages/monitor/src/store/store-reader.entry.ts',
    'store-leases': '../../packages/monitor/src/leases/store-leases.entry.ts',
  },
  outdir: 'dist',
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  sourcemap: false,
  legalComments: 'none',
  external: ['better-sqlite3', 'pg'],
  alias: { '@opentelemetry/api': './not-called.mjs', tdigest: './not-called.mjs' },
  // Names stay, for stack traces.
  minifyWhitespace: true,
  define: { __VERSION__: JSON.stringify(commit === '' ? version : `${version}+${commit}`) },
  // CommonJS dependencies such as prom-client call require() for node built-ins.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
})
writeFileSync('dist/LICENCES.txt', licenceList(Object.keys(metafile.inputs)))
chmodSync('dist/main.js', 0o755)
// The page is served from beside the program.
cpSync('../dashboard/dist', 'dist/dashboard', { recursive: true })
