import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Shape, shapeOf } from './shape.ts'
import { top } from './top.ts'

/** A figure that gets better is written down here, so that it cannot get worse again. */
const LIMITS: Readonly<
  Partial<Record<keyof Shape, { readonly atMost?: number; readonly atLeast?: number }>>
> = {
  mutualFolderPairs: { atMost: 0 },
  filesThatNameWindows: { atMost: 0 },
  exportsWithoutSentence: { atMost: 0 },
  brokenReferences: { atMost: 0 },
  filesThatKnowAColumn: { atMost: 19 },
  slivers: { atMost: 98 },
  doorNames: { atMost: 198 },
  riddles: { atMost: 1.6 },
}

let folder: string | null = null
afterEach(() => {
  if (folder !== null) rmSync(folder, { recursive: true })
  folder = null
})

/** The shape of a tree of these files. */
function shapeOfFiles(files: Readonly<Record<string, string>>): Shape {
  folder = mkdtempSync(join(tmpdir(), 'svc-shape-'))
  for (const name of ['packages', 'apps', 'tooling', 'tests', 'docs']) mkdirSync(join(folder, name))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return shapeOf(folder)
}

describe('the shape of the code', () => {
  const shape = shapeOf(top)

  it.each(Object.keys(LIMITS) as (keyof Shape)[])('does not get worse: %s', (name) => {
    const { measured, places } = shape[name]
    const { atMost = Number.POSITIVE_INFINITY, atLeast = 0 } = LIMITS[name] ?? {}

    expect([measured <= atMost && measured >= atLeast, measured, places]).toEqual([
      true,
      measured,
      places,
    ])
  })
})

describe('the measure of it', () => {
  it('finds folders that import each other, types included, and leaves the door out', () => {
    const { mutualFolderPairs } = shapeOfFiles({
      'packages/a/src/one/x.ts': "import type { y } from '../two/y.ts'\n",
      'packages/a/src/two/y.ts': "import { x } from '../one/x.ts'\n",
      'packages/a/src/three/z.ts': "import { x } from '../one/x.ts'\n",
      'packages/a/src/index.ts': "export { x } from './one/x.ts'\n",
    })

    expect(mutualFolderPairs.places).toEqual(['packages/a/src: one <-> two'])
  })

  it('finds window names in code and not in comments', () => {
    const { filesThatNameWindows } = shapeOfFiles({
      'packages/a/src/x.ts': "/** As '5h'. */\nexport const x = 1\n",
      'packages/a/src/y.ts': "export const y = 'week'\n",
      'packages/views/src/z.ts': "export const z = '5h'\n",
    })

    expect(filesThatNameWindows.places).toEqual(['packages/a/src/y.ts'])
  })

  it('finds small modules beside their only user, and none that a door or another folder uses', () => {
    const { slivers } = shapeOfFiles({
      'packages/a/src/user.ts':
        "import { x } from './sliver.ts'\nimport { y } from './shared.ts'\n",
      'packages/a/src/user.test.ts': "import { x } from './sliver.ts'\n",
      'packages/a/src/other.ts': "import { y } from './shared.ts'\nimport { z } from './in/z.ts'\n",
      'packages/a/src/index.ts': "export { w } from './w.ts'\nexport type { L } from './long.ts'\n",
      'packages/a/src/again.ts': "import { l } from './long.ts'\n",
      'packages/a/src/sliver.ts': 'export const x = 1\n',
      'packages/a/src/shared.ts': 'export const y = 1\n',
      'packages/a/src/in/z.ts': 'export const z = 1\n',
      'packages/a/src/w.ts': 'export const w = 1\n',
      'packages/a/src/long.ts': 'export const l = 1\n'.repeat(61),
    })

    expect(slivers.places).toEqual(['packages/a/src/sliver.ts 1'])
  })

  it('finds comments whose subject has to be guessed', () => {
    const { riddles } = shapeOfFiles({
      'packages/a/src/x.ts': [
        '/** What is left. */',
        '/** Units left. */',
        '/**',
        ' * Those that wait',
        ' * for how long.',
        ' */',
        '// One comment',
        '// How it goes on in its second line.',
        'export const x = 1 // Where it stands.',
        '',
      ].join('\n'),
    })

    expect([riddles.measured, riddles.places]).toEqual([
      50,
      ['packages/a/src/x.ts What is left.', 'packages/a/src/x.ts Those that wait\nfor how long.'],
    ])
  })

  it('counts the names of each door, and the files that know a column', () => {
    const { doorNames, filesThatKnowAColumn } = shapeOfFiles({
      'packages/a/src/index.ts':
        "export { type one, two } from './x.ts'\nexport type { three } from './y.ts'\n",
      'packages/b/src/index.ts': "export { one } from './x.ts'\n",
      'packages/a/src/x.ts': "/** one */ export const one = 'tokens_cached', two = 2\n",
      'packages/b/src/x.ts': '/** tokens_cached */ export const one = 1\n',
      'packages/a/src/y.ts': 'export interface three { tokensCached: 1 }\n',
      'packages/a/src/migrations/1.ts': "export const one = 'tokens_cached'\n",
    })

    expect([doorNames.measured, doorNames.places]).toEqual([
      3,
      ['packages/a/src/index.ts 3', 'packages/b/src/index.ts 1'],
    ])
    expect(filesThatKnowAColumn.places).toEqual(['packages/a/src/x.ts', 'packages/a/src/y.ts'])
  })

  it('finds references to pages and headings that are not there, and sources that nobody can read', () => {
    const { brokenReferences } = shapeOfFiles({
      'docs/rules.md': '# The rules\n\n## Routing score\n',
      'packages/a/src/x.ts': [
        '/** See docs/rules.md#routing-score. */',
        '/** See docs/rules.md#runway. */',
        '/** See docs/nothing.md. */',
        '/** Source: RFC 9110 5.6.7. */',
        '/** Source: the book of rules 3. */',
        'export const x = 1',
      ].join('\n'),
    })

    expect(brokenReferences.places).toEqual([
      'packages/a/src/x.ts docs/rules.md#runway',
      'packages/a/src/x.ts docs/nothing.md',
      'packages/a/src/x.ts Source: the book of rules 3.',
    ])
  })

  it('finds what a door exports without a sentence', () => {
    const { exportsWithoutSentence } = shapeOfFiles({
      'packages/a/src/index.ts': "export { bare, said, type Kind as Named } from './x.ts'\n",
      'packages/a/src/x.ts':
        'export const bare = 1\n\n/** One. */\nexport function said() {}\n\nexport type Kind = 1\n',
    })

    expect(exportsWithoutSentence.places).toEqual([
      'packages/a/src/index.ts bare',
      'packages/a/src/index.ts Kind',
    ])
  })
})
