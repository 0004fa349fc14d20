import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, helpRow } from './help-row.ts'

const linesOf = (text: string) => helpRow('--flag <value>', text).split('\n').slice(0, -1)

describe('a row of help', () => {
  it('has its text from column 34 on, and beside it as long as there is room', () => {
    expect(helpRow('--flag <value>', 'What it does.')).toBe(
      '  --flag <value>                  What it does.\n',
    )
    expect(helpRow('--a-flag-with-a-long-name <value>', 'What it does.')).toBe(
      `  --a-flag-with-a-long-name <value>\n${' '.repeat(34)}What it does.\n`,
    )
  })

  it.each([
    { text: `${'a'.repeat(60)} ${'b'.repeat(5)}`, count: 1 },
    { text: `${'a'.repeat(60)} ${'b'.repeat(6)}`, count: 2 },
    { text: '配'.repeat(33), count: 1 },
    { text: '配'.repeat(34), count: 2 },
  ])('breaks "$text" into $count lines', ({ text, count }) => {
    expect(linesOf(text)).toHaveLength(count)
  })

  it.each([
    { what: 'a full stop', text: `${'额'.repeat(33)}。配`, begins: '额。配' },
    { what: 'an opening bracket', text: `${'额'.repeat(32)}（配额）`, begins: '（配额）' },
    { what: 'a word', text: `${'额'.repeat(32)}quota 额`, begins: 'quota 额' },
    { what: 'a word and its comma', text: `${'额'.repeat(31)} api，额`, begins: 'api，额' },
  ])('begins no line with the sign after, and ends none before, $what', ({ text, begins }) => {
    expect(linesOf(text)[1]?.trimStart()).toBe(begins)
  })

  it('keeps every sign of a text, whatever stands beside whatever', () => {
    const signs = fc.constantFrom('配', '额', '，', '。', '（', '）', 'a', 'bc', ' ', '-', '[')
    const texts = fc.array(signs, { maxLength: 120 }).map((all) => all.join(''))
    const packed = (text: string) => text.replaceAll(/\s/g, '')
    fc.assert(
      fc.property(texts, (text) => {
        expect(packed(linesOf(text).join(''))).toBe(packed(`--flag <value>${text}`))
      }),
    )
  })

  it('is never wider than 100 columns, unless a word alone is', () => {
    const parts = fc.constantFrom('配', '额', '额，', 'quota ', '5 小时', ' ', 'api-call、')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 120 }), (all) => {
        for (const line of linesOf(all.join(''))) expect(columnsOf(line)).toBeLessThanOrEqual(100)
      }),
    )
  })
})
