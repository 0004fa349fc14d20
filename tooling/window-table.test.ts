import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { top } from './top.ts'

const CORE = join(top, 'packages/core/src')
/** The table itself, and two rules about the two windows whose text is kept as it is. */
const ALLOWED = ['facts/window.ts', 'account/reclaim-window.ts', 'account/routing-score.ts']

it('core names no window outside its table', () => {
  const files = readdirSync(CORE, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  expect(files).toEqual(expect.arrayContaining(ALLOWED))

  const naming = files.filter((name) => !ALLOWED.includes(name) && /'(?:5h|week)'/.test(readFileSync(join(CORE, name), 'utf8')))
  expect(naming).toEqual([])
})
