import { rmSync } from 'node:fs'
import { build } from 'esbuild'

rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: [
    'backtest.ts',
    'bench/bare-server.ts',
    'bench/bench.ts',
    'bench-redact.ts',
    'bench-store/bench-store.ts',
    'bench/loop-delay.ts',
    'dashboard/screenshots.ts',
    'dashboard/switch-times.ts',
    'docs.ts',
    'fake-upstream.ts',
    'fault-table.ts',
    'faults/bare-neighbour.ts',
    'faults/crash-loop.ts',
    'faults/healthz-probes.ts',
    'faults/migrating-store.ts',
    'live.ts',
    'openapi.ts',
    'print-shape.ts',
    'redact-readability.ts',
    'service/paced-pipeline.entry.ts',
    'service/paced-service.entry.ts',
    'smoke-demo.ts',
    'soak.ts',
  ],
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['axe-core', 'better-sqlite3', 'playwright-core'],
  conditions: ['source'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
})
