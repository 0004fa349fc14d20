import { settings } from '@svc/config'
import { artifacts } from '@svc/deploy'
import { describe, expect, it } from 'vitest'
import { chineseHelpWords } from './chinese-help-words.ts'
import { commandTable, commandNames as names } from './command-table.ts'
import { helpText } from './help.ts'
import { columnsOf } from './program/text-columns.ts'

describe('help in Chinese', () => {
  const chinese = (name: (typeof names)[number]) => helpText('1.2.3', name, chineseHelpWords, true)

  it.each(names)(
    'of %j fits a terminal of 80 columns and ends its lines without blanks',
    async (name) => {
      const lines = (await chinese(name)).split('\n')

      expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80)
      expect(lines.filter((line) => line.endsWith(' '))).toEqual([])
    },
  )

  it.each(names)('of %j names the same flags and commands as in English', async (name) => {
    const termsOf = (text: string) =>
      [...text.matchAll(/^ {2}([-<a-z][^ ]*(?: <[^>]*>)?)/gm)].map(([, term]) => term)

    expect(termsOf(await chinese(name))).toEqual(
      termsOf(await helpText('1.2.3', name, undefined, true)),
    )
  })

  it('leaves no text of the tables in English', async () => {
    const text = (await Promise.all(names.map(chinese))).join('').replaceAll(/\s+/g, ' ')
    const tables = [
      ...settings.map((setting) => setting.help),
      ...settings.flatMap(({ fallbackText }) =>
        fallbackText?.includes(' ') ? [fallbackText] : [],
      ),
      ...Object.values(commandTable).flatMap(({ summary, options, exits }) => [
        summary,
        ...Object.values<string>(exits).filter((words) => words.includes(' ')),
        ...Object.values<string>(options),
      ]),
      ...artifacts.map(({ what }) => what),
    ]

    expect(tables.filter((english) => text.includes(english))).toEqual([])
  })
})
