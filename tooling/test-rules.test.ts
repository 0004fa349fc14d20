import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { top } from './top.ts'

const FOLDERS = ['packages', 'apps', 'tests', 'tooling']
const isTest = (path: string) =>
  path.endsWith('.test.ts') || (path.startsWith('tests/') && path.endsWith('.ts'))

const tests = FOLDERS.flatMap((folder) =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => isTest(path) && !/node_modules|\/dist\//.test(path)),
).map((path) => ({ path, text: readFileSync(join(top, path), 'utf8') }))

const linesWith = (pattern: RegExp) =>
  tests.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
      ),
  )

/** What no test may do, because it would then depend on the hour or on how busy the machine is. Each has a way that does not. */
const RULES: readonly (readonly [rule: string, pattern: RegExp])[] = [
  [
    'reads the wall clock: take the clock of the test, or `testInstant`',
    /\bDate\.now\b|\bnew Date\(\)/,
  ],
  [
    'measures itself: compare with a neighbour by `timesAsLong`',
    /performance\.now\(\) -|- performance\.now\(\)/,
  ],
  [
    'limits milliseconds: wait for the event by `eventually`',
    /expect\([^)]*\b\w*(?:[eE]lapsed|took|duration)\w*\b[^)]*\)\.toBeLess/,
  ],
]

describe('no test', () => {
  it.each(RULES)('%s', (_rule, pattern) => {
    expect(tests.length).toBeGreaterThan(100)
    expect(
      linesWith(pattern).filter((line) => !line.startsWith('tooling/test-rules.test.ts')),
    ).toEqual([])
  })
})
