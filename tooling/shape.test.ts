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

it('finds one of each', () => {
  const { lines: _, ...shape } = shapeOfFiles({
    'docs/rules.md': '# The rules\n\n## Routing score\n',
    'packages/a/src/index.ts':
      "export { bare, said, type Kind as Named } from './one/x.ts'\nexport { w } from './w.ts'\n",
    'packages/a/src/w.ts': '/** One. */\nexport const w = 1\n',
    'packages/a/src/one/x.ts': [
      "import type { y } from '../two/y.ts'",
      "import { z } from './sliver.ts'",
      "import { l } from './long.ts'",
      '/**',
      ' * What is left, as docs/rules.md#routing-score',
      " * has it of '5h'.",
      ' */',
      "export const said = 'week'",
      'export const bare = 1 // Where it stands.',
      '/** See docs/rules.md#runway and docs/nothing.md. Source: RFC 9110 5.6.7. */',
      'export type Kind = 1',
      '/** Source: the book of rules 3. */',
      '// One comment',
      '// How it goes on in its second line.',
      '',
    ].join('\n'),
    'packages/a/src/one/x.test.ts': "import { z } from './sliver.ts'\n",
    'packages/a/src/one/sliver.ts': 'export const z = 1\n',
    'packages/a/src/one/long.ts': 'export const l = 1\n'.repeat(61),
    'packages/a/src/two/y.ts':
      "import { said } from '../one/x.ts'\nexport const y = 'tokens_cached'\n",
    'packages/a/src/two/z.ts': "/** '5h' of tokens_cached */\nexport const none = 1\n",
    'packages/a/src/migrations/1.ts': "export const one = 'tokens_cached'\n",
    'packages/views/src/z.ts': "export const z = '5h'\n",
  })

  expect(Object.entries(shape).map(([name, { places }]) => [name, places])).toEqual([
    ['mutualFolderPairs', ['packages/a/src: one <-> two']],
    ['filesThatNameWindows', ['packages/a/src/one/x.ts']],
    ['filesThatKnowAColumn', ['packages/a/src/two/y.ts']],
    ['slivers', ['packages/a/src/one/sliver.ts 1']],
    ['doorNames', ['packages/a/src/index.ts 4']],
    ['exportsWithoutSentence', ['packages/a/src/index.ts bare']],
    [
      'brokenReferences',
      [
        'packages/a/src/one/x.ts docs/rules.md#runway',
        'packages/a/src/one/x.ts docs/nothing.md',
        'packages/a/src/one/x.ts Source: the book of rules 3.',
      ],
    ],
    [
      'riddles',
      ["packages/a/src/one/x.ts What is left, as docs/rules.md#routing-score\nhas it of '5h'."],
    ],
  ])
  expect(shape.riddles.measured).toBe(100 / 6)
})
