import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { installFiles } from './install.mjs'

/** What the first view may cost on the way, in bytes after Brotli. See docs/limits.md#what-a-client-may-take-up. */
const BUDGET = { js: 36_000, css: 8_000, all: 45_000 }

// The page is served by this version of the program alone, and says so.
process.env.VITE_VERSION = JSON.parse(readFileSync('../cli/package.json', 'utf8')).version
rmSync('dist', { recursive: true, force: true })
await build({
  configFile: false,
  logLevel: 'warn',
  resolve: { conditions: ['source'] },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Everything is a file of its own: the page may run nothing that stands in it.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    cssMinify: true,
    reportCompressedSize: false,
  },
})

const { files, head } = installFiles()
for (const [name, bytes] of files) writeFileSync(`dist/assets/${name}`, bytes)
writeFileSync(
  'dist/index.html',
  readFileSync('dist/index.html', 'utf8').replace('</title>', `</title>\n    ${head}`),
)

const compressed = new Map()
for (const name of readdirSync('dist/assets')) {
  // A picture is compressed already, and no part of the first view.
  if (name.endsWith('.png')) continue
  const bytes = readFileSync(`dist/assets/${name}`)
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  compressed.set(name, brotli.length)
  writeFileSync(`dist/assets/${name}.br`, brotli)
  writeFileSync(`dist/assets/${name}.gz`, gzipSync(bytes, { level: 9 }))
}
const page = readFileSync('dist/index.html')
const first = [...page.toString().matchAll(/assets\/([^"]+)/g)].map((match) => match[1])
const sizeOf = (ending) =>
  first
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + (compressed.get(name) ?? 0), 0)
const sizes = {
  js: sizeOf('.js'),
  css: sizeOf('.css'),
  all: sizeOf('') + brotliCompressSync(page).length,
}
for (const [part, bytes] of Object.entries(sizes)) {
  if (bytes > BUDGET[part])
    throw new Error(
      `the first view's ${part} takes ${bytes} bytes after Brotli; ${BUDGET[part]} are allowed`,
    )
}
writeFileSync('dist/sizes.json', `${JSON.stringify(sizes)}\n`)
