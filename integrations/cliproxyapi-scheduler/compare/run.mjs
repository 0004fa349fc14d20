// Compares ways to choose an account: `node integrations/cliproxyapi-scheduler/compare/run.mjs [seeds] [world]`.
// It needs cargo, and the packages of this repository (any npm script installs them).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const plugin = fileURLToPath(new URL('..', import.meta.url))
const tooling = fileURLToPath(new URL('../../../tooling/', import.meta.url))
const { build } = createRequire(join(tooling, 'package.json'))('esbuild')

execFileSync('cargo', ['build', '--quiet', '--release', '--locked', '--example', 'driver'], {
  cwd: plugin,
  stdio: 'inherit',
})
const folder = mkdtempSync(join(tmpdir(), 'compare-'))
try {
  const outfile = join(folder, 'compare.mjs')
  await build({
    entryPoints: [join(plugin, 'compare/compare.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    nodePaths: [join(tooling, 'node_modules')],
    logLevel: 'error',
  })
  const { compare } = await import(pathToFileURL(outfile).href)
  const driver = join(
    process.env.CARGO_TARGET_DIR ?? join(plugin, 'target'),
    'release/examples/driver',
  )
  process.exitCode = await compare(driver, {
    seedCount: Number(process.argv[2] ?? 3),
    named: process.argv[3] ?? '',
    print: console.log,
  })
} finally {
  rmSync(folder, { recursive: true })
}
