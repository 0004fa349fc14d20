import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstRowOf } from './csv/redact-csv.ts'
import { containers, secretNames } from './testing/containers.ts'
import { createRandom } from './testing/random.ts'
import { redactText } from './testing/redact-text.ts'
import { passwords } from './testing/secrets.ts'

const random = createRandom(41)
const values = Object.values(passwords).flatMap((make) =>
  Array.from({ length: 8 }, () => make(random)),
)
const of = (extension: RegExp) =>
  Object.entries(containers)
    .filter(([name, { file }]) => extension.test(file) && !/cut off|stray quote/.test(name))
    .map(([name, container]) => ({ name, ...container }))

describe('JSON', () => {
  it.each(of(/^jsonl?$/))(
    'of $name is JSON in the copy, whatever the secret',
    ({ file, write }) => {
      for (const value of values) {
        const copy = redactText(write(random.pick(secretNames), value), {
          kind: 'json',
          known: [value],
        })
        for (const document of file === 'json' ? [copy] : copy.trim().split('\n'))
          expect(() => JSON.parse(document), copy).not.toThrow()
      }
    },
  )

  it('of any shape is JSON in the copy, with names of secrets and known values anywhere', () => {
    const name = fc.oneof(
      fc.constantFrom(...secretNames, 'k', 'name', 'value', 'key', 'cookies', 'args', '0', '1'),
      fc.string(),
    )
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '--password',
        'password=',
        'token: "x"',
        'O\'Brien "x" \\ y',
        'a\\',
        '\n',
        'https://a:b@h/?key=x',
        '{"password":1}',
      ),
      fc.constantFrom(...secretNames),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }),
      object: fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(
        tree,
        fc.constantFrom(0, 1),
        fc.array(text, { maxLength: 3 }),
        (value, indent, more) => {
          const known = [
            'O\'Brien "x" \\ y',
            '":',
            '12',
            ...more.filter((found) => found.length > 1),
          ]
          const copy = redactText(JSON.stringify(value, null, indent), { kind: 'json', known })
          JSON.parse(copy)
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 2_000 : 300 },
    )
  })

  it('keeps the names beside a secret that is an object', () => {
    expect(redactText('{"x":{"password":{"value":"Kelp","k":1}}}', { kind: 'json' })).toMatch(
      /^\{"x":\{"password":\{"value":"secret-\w{12}","k":"secret-\w{12}"\}\}\}$/,
    )
    expect(redactText('{"args":{"0":"--password","1":"Kelp"}}', { kind: 'json' })).toMatch(
      /^\{"args":\{"0":"--password","1":"secret-\w{12}"\}\}$/,
    )
  })
})

describe('CSV', () => {
  const widths = (text: string, delimiter: string) => {
    const found: number[] = []
    for (let rest = text; rest !== ''; ) {
      const row = firstRowOf(rest, delimiter, true)
      found.push(row?.cells.length ?? 0)
      rest = rest.slice(row?.next ?? rest.length)
    }
    return found
  }

  it.each(of(/sv$/))('of $name has the same rows and columns in the copy', ({ write }) => {
    for (const value of values) {
      const text = write(random.pick(secretNames), value).replace(/^\ufeff/, '')
      const delimiter = /^sep=;/.test(text) ? ';' : text.startsWith('id\t') ? '\t' : ','
      expect(widths(redactText(text, { kind: 'csv', known: [value] }), delimiter)).toEqual(
        widths(text, delimiter),
      )
    }
  })
})
