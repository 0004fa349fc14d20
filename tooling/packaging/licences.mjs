import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the page is built from; its own build knows nothing of where it came from. */
const PAGE_PACKAGES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot']

/**
 * The licences of every package whose code is in the bundle, from the files esbuild has read.
 * @param {readonly string[]} inputs
 */
export function licenceList(inputs) {
  const folders = new Set(inputs.filter((path) => path.includes('node_modules')).map(packageFolder))
  for (const name of PAGE_PACKAGES) folders.add(pagePackage(name))
  const entries = [...folders].filter((folder) => folder !== null).map(entryOf)
  return entries
    .sort((one, other) => one.title.localeCompare(other.title))
    .map(({ title, text }) => `${title}\n\n${text}\n`)
    .join(`\n${'-'.repeat(72)}\n\n`)
}

/** @param {string} path */
function packageFolder(path) {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined)
      return realpathSync(folder)
  }
  throw new Error(`no package holds ${path}`)
}

/** @param {string} name */
function pagePackage(name) {
  const own = `../dashboard/node_modules/${name}`
  // A dependency of a dependency lies beside it.
  const found = [
    own,
    join(
      dirname(realpathSync('../dashboard/node_modules/@preact/signals')),
      name.split('/').at(-1) ?? '',
    ),
  ].find(existsSync)
  if (found === undefined) throw new Error(`${name} is not installed`)
  return realpathSync(found)
}

/** @param {string} folder */
function entryOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(entry))
  return {
    title: `${name} ${version} (${license})`,
    text:
      file === undefined
        ? 'Its package holds no text of the licence.'
        : readFileSync(join(folder, file), 'utf8').trim(),
  }
}
