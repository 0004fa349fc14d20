import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { inFolder } from './in-folder.ts'
import { isReached, shapeOf } from './shape.ts'
import { top } from './top.ts'

/** Goals that are reached, so that none is lost again. */
const REACHED = ['lines of apps/server', 'lines of apps/cli']

it('a goal that was reached stays reached, and one that is reached stands in the list', () => {
  const reached = shapeOf(top).filter((figure) => figure.atMost !== null && isReached(figure))

  expect(reached.map(({ what }) => what)).toEqual(REACHED)
})

it('counts code, tests, names and paths', async () => {
  const files = {
    'packages/a/src/one.ts': '/** One. */\nexport const one = 1\n\n// No code: UsageSink.\n',
    'packages/a/src/two.ts': 'export function one() {}\nexport type Two = UsageSink\n',
    'packages/a/src/two.test.ts': 'export const Two = 1\n',
    'packages/a/src/testing/two.ts': 'export const Two = 1\n',
    'packages/a/dist/one.ts': 'export const Two = 1\n',
    'packages/monitor/src/chart.ts': 'const a = 1\nconst b = 1\nconst c = encodeChart()\n',
    'packages/history/src/chart.ts': 'const d = encodeChart()\n',
    'apps/server/src/app.ts': '/* chart */\n',
    'tooling/one.mjs': 'const one = 1\n',
    'integrations/a/src/one.rs': 'fn one() {}\n',
    'tests/one.ts': 'const one = 1\n',
  }
  const shape = await inFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return shapeOf(folder)
  })

  expect(shape.map(({ measured, places }) => [measured, ...places])).toEqual([
    [9],
    [3],
    [7],
    [1],
    [0],
    [0],
    [0],
    [1],
    [1, 'one: packages/a/src/one.ts, packages/a/src/two.ts'],
    [1, 'packages/monitor/src/chart.ts'],
    [1, 'packages/a/src/two.ts'],
  ])
})
