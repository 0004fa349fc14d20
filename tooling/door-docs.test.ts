import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { top } from './top.ts'

const CORE = join(top, 'packages/core/src')
/** The text of its file is kept as it is. */
const WITHOUT = ['ScoringInput']

const EXPORTED = /export (?:type )?\{([^}]*)\} from '\.\/([^']+)'/g

/** Whether a sentence stands right above the declaration of a name. */
function isDocumented(name: string, text: string): boolean {
  return new RegExp(`\\*/\\nexport (?:const|interface|type|function|class) ${name}\\b`).test(text)
}

it('every name in the door of core has a sentence', () => {
  const names = [...readFileSync(join(CORE, 'index.ts'), 'utf8').matchAll(EXPORTED)].flatMap(([, list = '', file = '']) => {
    const text = readFileSync(join(CORE, file), 'utf8')
    const exported = list.split(',').map((name) => name.trim().replace(/^type /, ''))
    return exported.filter((name) => name !== '').map((name) => ({ name, text }))
  })
  expect(names.length).toBeGreaterThan(100)

  expect(names.filter(({ name, text }) => !isDocumented(name, text)).map(({ name }) => name)).toEqual(WITHOUT)
})
