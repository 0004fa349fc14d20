// Builds the package for others: one module, and types that stand alone.
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { compile } from 'json-schema-to-typescript'

const bundling = /** @type {const} */ ({
  bundle: true,
  conditions: ['source'],
  format: 'esm',
  target: 'es2022',
})
/** Declarations of core that those of the client name; they name no others. */
const RULES = ['facts/window.d.ts', 'pool/guard.d.ts']

rmSync('dist', { recursive: true, force: true })
await build({ ...bundling, entryPoints: ['src/index.ts'], outdir: 'dist' })
execFileSync(process.execPath, ['../../node_modules/typescript/bin/tsc', '-p', '.'], {
  stdio: 'inherit',
})
for (const path of RULES) cpSync(join('../core/dist', path), join('dist/core', path))
writeFileSync('dist/payloads.d.ts', await payloadTypes())
for (const name of readdirSync('dist').filter((file) => file.endsWith('.d.ts'))) {
  const path = join('dist', name)
  const text = readFileSync(path, 'utf8')
    .replaceAll("'@svc/views'", "'./payloads.js'")
    .replaceAll("'@svc/core'", "'./core/pool/guard.js'")
  writeFileSync(path, text)
}

async function payloadTypes() {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: ['src/payload-schemas.entry.ts'],
    platform: 'node',
    write: false,
  })
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const { payloadSchemas } = await import(`data:text/javascript;base64,${code}`)
  const names = Object.keys(payloadSchemas)
  const root = { $defs: payloadSchemas, anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) }
  return compile(root, 'Payload', { additionalProperties: false, bannerComment: '' })
}
