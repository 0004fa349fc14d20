import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { isReached, pathFigure, shapeOf } from './shape.ts'
import { inFolder, top } from './top.ts'

/** Goals that are reached, so that none is lost again. */
const REACHED = [
  'lines of apps/server',
  'lines of apps/cli',
  'lines of packages/redact',
  'names defined twice, but for translations',
  'files of a history route, in server and monitor',
  'files of a usage record',
]

it('a goal that was reached stays reached, and one that is reached stands in the list', () => {
  const reached = shapeOf(top).filter((figure) => figure.atMost !== null && isReached(figure))

  expect(reached.map(({ what }) => what)).toEqual(REACHED)
})

it('counts code, tests and names', async () => {
  const files = {
    'packages/a/src/one.ts': '/** One. */\nexport const one = 1\n\n// No code.\n',
    'packages/a/src/two.ts': 'export function one() {}\nexport type Two = string\n',
    'packages/a/src/two.test.ts': 'export const Two = 1\n',
    'packages/a/src/testing/two.ts': 'export const Two = 1\n',
    'packages/a/dist/one.ts': 'export const Two = 1\n',
    'packages/monitor/src/chart.ts': 'const a = 1\nconst b = 1\nconst c = 1\n',
    'packages/history/src/chart.ts': 'const d = 1\n',
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

  expect(shape.slice(0, 9).map(({ measured, places }) => [measured, ...places])).toEqual([
    [9],
    [3],
    [7],
    [1],
    [0],
    [0],
    [0],
    [1],
    [1, 'one: packages/a/src/one.ts, packages/a/src/two.ts'],
  ])
})

const STEPS = [
  { file: 'a/poll.ts', name: 'poll' },
  { file: 'a/channel.ts', name: 'call', isCarrier: true },
  { file: 'b/sqlite/store.ts', name: 'store' },
] as const
const SOURCES = [
  { path: 'a/poll.ts', text: "function poll() {\n  return call('store')\n}\n" },
  { path: 'a/channel.ts', text: '  call(method) {}\n' },
  { path: 'b/sqlite/store.ts', text: '  async store() {}\n' },
]

it('counts the files of a path, without those that carry anything', () => {
  expect(pathFigure('files', STEPS, SOURCES, 2)).toMatchObject({
    measured: 2,
    places: ['a/poll.ts poll', 'a/channel.ts call (carrier)', 'b/sqlite/store.ts store'],
  })
})

it.each([
  { what: 'is not in its file', place: 1, text: '  callAll(method) {}\n' },
  { what: 'is only in a comment', place: 2, text: '// function store() {}\n' },
  { what: 'is called by nobody before it', place: 0, text: 'function poll() {}\n' },
])('a path is broken where a function $what', ({ place, text }) => {
  const sources = SOURCES.map((source, index) => (index === place ? { ...source, text } : source))
  const figure = pathFigure('files', STEPS, sources, 2)

  expect(isReached(figure)).toBe(false)
  expect(figure.places.filter((step) => step.endsWith('BROKEN'))).toHaveLength(1)
})
