import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { installFiles } from './install.mjs'
import { pageHead, wordsIn } from './words-plugin.mjs'

/** What the first view may cost on the way, in bytes after Brotli, in each language. See docs/limits.md#what-a-client-may-take-up. */
const BUDGET = { js: 36_800, css: 7_600, all: 45_000 }
const GROUPS = [
  // One file for all that the first view loads: several are each compressed alone, and larger together.
  { name: 'page', tags: ['$initial'] },
  // The library that draws has no words: one file for all languages.
  { name: 'plot', test: /uPlot\.esm\.js$/ },
]
/** The languages of the page by the file of each. Files that are the same in several have one name. */
const PAGES = { en: 'index.html', 'zh-CN': 'index.zh-CN.html' }

// The page is served by this version of the program alone, and says so.
process.env.VITE_VERSION = JSON.parse(readFileSync('../cli/package.json', 'utf8')).version

rmSync('dist', { recursive: true, force: true })
mkdirSync('dist/assets', { recursive: true })
/** Bytes after Brotli by name of the file. */
const compressed = new Map()
const sizes = {}
for (const [language, name] of Object.entries(PAGES)) {
  const { html, assets } = await buildPage(language)
  writeFileSync(`dist/${name}`, html)
  for (const [asset, bytes] of assets) if (!compressed.has(asset)) writeAsset(asset, bytes)
  sizes[language] = firstViewOf(html)
  checkBudget(language, sizes[language])
}
writeFileSync('dist/sizes.json', `${JSON.stringify(sizes)}\n`)

/**
 * @param {string} language
 * @returns {Promise<{ html: string, assets: Map<string, Buffer> }>} the page, and the files it asks for, by name
 */
async function buildPage(language) {
  const { output } = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [wordsIn(language)],
    resolve: { conditions: ['source'] },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // Everything is a file of its own: the page may run nothing that stands in it.
      assetsInlineLimit: 0,
      cssCodeSplit: true,
      cssMinify: true,
      reportCompressedSize: false,
      rolldownOptions: {
        output: { codeSplitting: { groups: GROUPS } },
      },
    },
  })
  const { files, head } = installFiles(pageHead(language))
  const assets = new Map(files)
  let html = ''
  for (const file of output) {
    const content = file.type === 'chunk' ? file.code : file.source
    if (file.fileName === 'index.html') html = String(content)
    else assets.set(file.fileName.replace('assets/', ''), Buffer.from(content))
  }
  return { html: html.replace('</title>', `</title>\n    ${head}`), assets }
}

/** Writes a file, and what it is compressed. */
function writeAsset(name, bytes) {
  writeFileSync(`dist/assets/${name}`, bytes)
  // Pictures and fonts are compressed already, and no part of the first view.
  const brotli = /\.(?:png|woff2)$/.test(name) ? bytes : brotliOf(bytes)
  compressed.set(name, brotli.length)
  if (brotli === bytes) return
  writeFileSync(`dist/assets/${name}.br`, brotli)
  writeFileSync(`dist/assets/${name}.gz`, gzipSync(bytes, { level: 9 }))
}

function brotliOf(bytes) {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}

function firstViewOf(html) {
  const names = [...html.matchAll(/assets\/([^"]+)/g)].map((match) => match[1])
  const sizeOf = (ending) =>
    names
      .filter((name) => name.endsWith(ending) && !name.endsWith('.png'))
      .reduce((sum, name) => sum + compressed.get(name), 0)
  return {
    js: sizeOf('.js'),
    css: sizeOf('.css'),
    all: sizeOf('') + brotliCompressSync(html).length,
  }
}

function checkBudget(language, sizes) {
  for (const [part, bytes] of Object.entries(sizes)) {
    if (bytes > BUDGET[part])
      throw new Error(
        `the first view's ${part} in ${language} takes ${bytes} bytes after Brotli; ${BUDGET[part]} are allowed`,
      )
  }
}
