import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isHarmlessWord } from '../text/run.ts'
import { commonWords } from './common-words.ts'
import { chinesePairs, productWords } from './product-words.ts'

const top = fileURLToPath(new URL('../../../../', import.meta.url))
const packages =
  'core views config collector history notify secret-files client deploy doctor monitor sqlite'
/** Whose texts and names end up in logs, answers and the output of commands. */
const SOURCES = [
  ...packages.split(' ').map((name) => `packages/${name}/src`),
  'apps/server/src',
  'apps/cli/src',
]
/** What a user reads: if a word of it were unknown, a bundle would lose it. */
const PRINTED = [
  'packages/views/src/messages',
  'packages/views/src/payloads',
  'packages/doctor/src',
]
const CHINESE = [
  'packages/views/src/messages/zh-cn',
  'packages/views/src/format',
  'apps/cli/src/chinese-help-words.ts',
  'packages/config/src/chinese-settings.ts',
]
/** Persons, places and things in examples, and pieces of regular expressions. */
const NOT_WORDS = new Set(
  'ana berlin prague tokyo grace amber fish camel snake laptop rose lyon paris maria bob alice abxy bfnrt uff uffff ufaff ufeff xfe xff xffff fff fffd ffff fro'.split(
    ' ',
  ),
)

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) =>
    /^(?:testing|golden|fixtures|dist|node_modules)$/.test(name) || name.includes('.test.')
      ? []
      : filesIn(join(path, name)),
  )
}

/** Texts and names in the code of these folders, without comments, imports and escapes. */
function codeIn(folders: readonly string[]): string {
  return folders
    .flatMap((folder) => filesIn(join(top, folder)))
    .filter((path) => path.endsWith('.ts'))
    .map((path) =>
      readFileSync(path, 'utf8')
        .replace(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$|^import .*$/gm, '')
        .replace(/\\./g, ' '),
    )
    .join('\n')
}

function wordsIn(code: string): ReadonlySet<string> {
  const words = code
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]{3,}/g)
  return new Set((words ?? []).filter((word) => !NOT_WORDS.has(word)))
}

function pairsIn(code: string): ReadonlySet<string> {
  const runs = code.match(/\p{Script=Han}{2,}/gu) ?? []
  return new Set(
    runs.flatMap((run) => [...run].slice(1).map((sign, at) => `${[...run][at]}${sign}`)),
  )
}

function inLines(words: readonly string[], between: string, length: number): string {
  const lines = ['']
  for (const word of words) {
    if ((lines.at(-1) ?? '').length + word.length > length) lines.push('')
    lines.push(`${lines.pop()}${lines.at(-1) === '' ? '' : between}${word}`)
  }
  return lines.map((line) => line.trim()).join('\n')
}

it('every word that the product prints is known (npm run golden adds what is missing)', async () => {
  const missing = [...wordsIn(codeIn(PRINTED))].filter((word) => !isHarmlessWord(word))
  const missingPairs = [...pairsIn(codeIn(CHINESE))].filter((pair) => !isHarmlessWord(pair))
  if (missing.length + missingPairs.length === 0) return
  const common = new Set(commonWords.split(/\s+/))
  const words = [...wordsIn(codeIn(SOURCES))].filter((word) => !common.has(word)).sort()
  const pairs = [...pairsIn(codeIn(CHINESE))].sort()

  await expect(
    [
      '/** Words of texts and names in the code of this program. Written by `npm run golden`. */',
      `export const productWords = \`\n${inLines(words, ' ', 150)}\n\``,
      '/** Every two neighbouring characters of the Chinese texts. Written by `npm run golden`. */',
      `export const chinesePairs = \`\n${inLines(pairs, '', 74)}\n\`\n`,
    ].join('\n'),
  ).toMatchFileSnapshot('product-words.ts')
})

it('no name of a person, a place or a thing of the examples is known', () => {
  const names = [...NOT_WORDS].filter((name) => /^[a-z]{3,}$/.test(name))

  expect(names.filter((name) => isHarmlessWord(name))).toEqual([])
})

it('the vocabulary is small', () => {
  expect(Buffer.byteLength(`${commonWords}${productWords}${chinesePairs}`)).toBeLessThan(64 * 1024)
})
