import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chineseHelpWords } from './chinese-help-words.ts'
import { help, helpRow, helpText, unknownCommand } from './help.ts'
import { englishHelpWords } from './help-words.ts'
import { columnsOf } from './program/text-columns.ts'
import { aCliContext } from './testing/run-for-test.ts'

describe('help', () => {
  it('of a command begins with its own options, that of init with its artifacts', async () => {
    const text = await helpText('1.2.3', 'init', undefined, true)

    for (const [earlier, later] of [
      ['--write', '--config'],
      ['Artifacts', 'Listener'],
      ['systemd', '--host'],
    ] as const)
      expect(text.indexOf(earlier)).toBeLessThan(text.indexOf(later))
    expect(text.indexOf('systemd')).toBeGreaterThan(0)
  })

  it('of a command without settings has neither them nor a version', async () => {
    const text = await helpText('1.2.3', 'export-history')

    expect(text).not.toMatch(/--version|--upstream-url/)
    expect(text).toContain('--help')
  })

  it.each([englishHelpWords, chineseHelpWords])(
    'of the program has five groups in 60 lines, and the settings only when all is asked for',
    async (words) => {
      const text = await helpText('1.2.3', '', words)
      const all = await helpText('1.2.3', '', words, true)

      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
      for (const group of ['Run', 'Look', 'Scripts', 'Set up', 'History'] as const)
        expect(text).toContain(`\n\n${words.tables?.groups[group] ?? group}\n  `)
      expect(text).not.toContain('--upstream-url')
      expect(all).toContain('--upstream-url')
    },
  )

  it.each([
    { asked: undefined, code: 0, said: 'History' },
    { asked: 'all', code: 0, said: '--upstream-url' },
    { asked: 'doctor', code: 0, said: 'svc-quota-monitor doctor' },
    { asked: 'doctr', code: 2, said: 'unknown command "doctr": did you mean doctor?' },
    { asked: '5', code: 2, said: 'unknown command "5": --help lists the commands' },
  ])('asked for $asked ends with $code', async ({ asked, code, said }) => {
    let text = ''
    const print = (part: string) => {
      text += part
    }

    expect(await help({}, aCliContext({ stdout: print, stderr: print }), asked)).toBe(code)
    expect(text).toContain(said)
  })
})

it.each([
  { word: 'doctr', expected: 'unknown command "doctr": did you mean doctor?' },
  { word: 'frobnicate', expected: 'unknown command "frobnicate": --help lists the commands' },
  { word: 'a\nb', expected: 'unknown command "a\\nb": --help lists the commands' },
])('an unknown command $word is one line', ({ word, expected }) => {
  expect(unknownCommand(word)).toBe(expected)
})

const linesOf = (text: string) => helpRow('--flag <value>', text).split('\n').slice(0, -1)

describe('a row of help', () => {
  it('has its text from column 28 on, and beside it as long as there is room', () => {
    expect(helpRow('--flag <value>', 'What it does.')).toBe(
      '  --flag <value>            What it does.\n',
    )
    expect(helpRow('--a-flag-with-a-long-name <value>', 'What it does.')).toBe(
      `  --a-flag-with-a-long-name <value>\n${' '.repeat(28)}What it does.\n`,
    )
  })

  it.each([
    { text: `${'a'.repeat(46)} ${'b'.repeat(5)}`, count: 1 },
    { text: `${'a'.repeat(46)} ${'b'.repeat(6)}`, count: 2 },
    { text: '配'.repeat(26), count: 1 },
    { text: '配'.repeat(27), count: 2 },
  ])('breaks "$text" into $count lines', ({ text, count }) => {
    expect(linesOf(text)).toHaveLength(count)
  })

  it.each([
    { what: 'a full stop', text: `${'额'.repeat(26)}。配`, begins: '额。配' },
    { what: 'an opening bracket', text: `${'额'.repeat(25)}（配额）`, begins: '（配额）' },
    { what: 'a word', text: `${'额'.repeat(25)}quota 额`, begins: 'quota 额' },
    { what: 'a word and its comma', text: `${'额'.repeat(24)} api，额`, begins: 'api，额' },
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

  it('is never wider than 80 columns, unless a word alone is', () => {
    const parts = fc.constantFrom('配', '额', '额，', 'quota ', '5 小时', ' ', 'api-call、')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 120 }), (all) => {
        for (const line of linesOf(all.join(''))) expect(columnsOf(line)).toBeLessThanOrEqual(80)
      }),
    )
  })
})
