import { describe, expect, it } from 'vitest'
import { commandTable } from './command-table.ts'
import { help, helpText, unknownCommand } from './help.ts'
import { aCliContext } from './testing/run-for-test.ts'

describe('help', () => {
  it('of a command begins with its own options, that of init with its artifacts', async () => {
    const text = await helpText('1.2.3', 'init')

    for (const [earlier, later] of [
      ['--write', '--config'],
      ['Artifacts', 'Listener'],
      ['systemd', '--host'],
    ] as const)
      expect(text.indexOf(earlier)).toBeLessThan(text.indexOf(later))
    expect(text.indexOf('systemd')).toBeGreaterThan(0)
  })

  it.each(commandTable.map(({ name }) => name))(
    'of %j fits a terminal of 100 columns and ends its lines without blanks',
    async (name) => {
      const lines = (await helpText('1.2.3', name)).split('\n')

      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
      expect(lines.filter((line) => line.endsWith(' '))).toEqual([])
    },
  )

  it('names every option once', async () => {
    const text = await helpText('1.2.3', 'print-config')
    const flags = [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag)

    expect(flags).toContain('--allowed-host')
    expect(new Set(flags).size).toBe(flags.length)
  })

  it('of a command without settings has neither them nor a version', async () => {
    const text = await helpText('1.2.3', 'export-history')

    expect(text).not.toMatch(/--version|--upstream-url/)
    expect(text).toContain('--help')
  })

  it('of the program lists every command and the exit codes', async () => {
    const text = await helpText('1.2.3', '')

    for (const { name } of commandTable)
      expect(text).toContain(`  ${name === '' ? '(none)' : name}`)
    expect(text).toMatch(/^svc-quota-monitor 1\.2\.3$/m)
    expect(text).toMatch(/^Exit codes: 0/m)
  })

  it.each([
    { asked: undefined, code: 0, said: 'Commands' },
    { asked: 'doctor', code: 0, said: 'svc-quota-monitor doctor' },
    { asked: 'doctr', code: 2, said: 'unknown command "doctr": did you mean doctor?' },
    { asked: 5, code: 2, said: 'unknown command "5": --help lists the commands' },
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
