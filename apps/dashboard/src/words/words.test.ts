import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { strings } from './strings.ts'
import { strings as chineseStrings } from './zh-cn/strings.ts'

type Words = Readonly<Record<string, unknown>>

/** Every file of words; the texts of times have another test. */
const englishFiles = import.meta.glob<Words>(
  ['./*.ts', '!./*.test.ts', '!./times.ts', '!./by-id.ts'],
  {
    eager: true,
  },
)
const chineseFiles = import.meta.glob<Words>(
  ['./zh-cn/*.ts', '!./zh-cn/*.test.ts', '!./zh-cn/times.ts'],
  { eager: true },
)

const headIn = (folder: string): Words =>
  JSON.parse(readFileSync(join(import.meta.dirname, folder, 'page-head.json'), 'utf8')) as Words

const catalogues = [
  ...Object.entries(englishFiles)
    // Files that contain only types.
    .filter(([, words]) => Object.keys(words).length > 0)
    .map(([file, english]) => ({
      name: file.slice(2),
      english,
      chinese: chineseFiles[file.replace('./', './zh-cn/')],
    })),
  { name: 'page-head.json', english: headIn('.'), chinese: headIn('zh-cn') },
]

/** Chinese words of things that docs/glossary.md calls otherwise: 响应, 厂商, 确认, 作废, 过时. */
const OTHER_WORDS = /应答|供应商|证实|未用即过期|列表已旧/

/** Sample parameters for texts. All values differ, and no text contains one of these numbers itself. */
const SAMPLES: readonly (readonly unknown[])[] = [
  ['311', '322', '333', '344', '355'],
  [311, 322, 333, 344, 355],
  ['311', true, '333'],
  ['311', null, '333'],
  [['311', '322'], 333],
]
/** Matches a text made with unsuitable parameters. */
const MISTAKEN = /undefined|NaN|null|true|\[object/

/** Every text of a catalogue by its path; a function gives one text per sample. */
function textsIn(words: unknown, place = ''): ReadonlyMap<string, string> {
  if (typeof words === 'string') return new Map([[place, words]])
  const parts = typeof words === 'function' ? SAMPLES.map((sample) => made(words, sample)) : words
  return new Map(
    Object.entries(parts ?? {}).flatMap(([id, part]) => [...textsIn(part, `${place}/${id}`)]),
  )
}

/** Result of the function; null if it cannot use these parameters. */
function made(words: unknown, sample: readonly unknown[]): unknown {
  try {
    return Reflect.apply(words as (...given: readonly unknown[]) => unknown, null, sample)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Pairs of texts in both languages, without those whose sample does not suit the English one. */
function pairsOf(english: unknown, chinese: unknown) {
  const inChinese = textsIn(chinese)
  return [...textsIn(english)]
    .filter(([, text]) => !MISTAKEN.test(text))
    .map(([place, text]) => ({ place, english: text, chinese: inChinese.get(place) ?? '' }))
}

const numbersIn = (text: string) => (text.match(/\d+(?:[.,]\d+)*/g) ?? []).toSorted()

/** Names, codes, keys and words that stay unchanged in Chinese. */
const KEPT_WORDS = new Set(
  'Plus Team Prolite Pro Codex Claude Max Opus token Token API CSV JSON HTTP JavaScript Prometheus Alertmanager ntfy Telegram Discord Slack Bark webhook Enter Esc Ctrl Shift UTC'.split(
    ' ',
  ),
)
/** Commands, settings, addresses and options, which belong to no language. */
const CODE = /`[^`]*`|\/api\/\S*\w|--demo|\w+(?:_\w+)+|management-key|5h/g
const CODE_PLACES = /\/(?:doctor|settings|writeKey|savedName|language)\b/

describe.each(catalogues)('the words in $name', ({ english, chinese }) => {
  const pairs = pairsOf(english, chinese)

  it('say something everywhere', () => {
    const isEmpty = (text: string) => text.trim() === '' || MISTAKEN.test(text)
    const empty = pairs.filter((pair) => isEmpty(pair.english) || isEmpty(pair.chinese))
    expect(empty.map(({ place }) => place).filter((place) => !place.endsWith('/gap'))).toEqual([])
  })

  it('say the same numbers in both languages', () => {
    const differing = pairs.filter(
      (pair) => numbersIn(pair.english).join() !== numbersIn(pair.chinese).join(),
    )
    expect(differing).toEqual([])
  })

  it('leave no English word in Chinese', () => {
    const left = pairs.flatMap(({ place, chinese: text }) => {
      const words = CODE_PLACES.test(place) ? [] : text.replace(CODE, '').match(/[A-Za-z]{2,}/g)
      return (words ?? []).filter((word) => !KEPT_WORDS.has(word)).map((word) => [place, word])
    })
    expect(left).toEqual([])
  })

  it('call each thing by its one word in Chinese', () => {
    expect(pairs.filter(({ chinese: text }) => OTHER_WORDS.test(text))).toEqual([])
  })

  it('have a space in Chinese between its letters and others, and its own punctuation', () => {
    const wrong = pairs.filter(
      ({ place, chinese: text }) =>
        // The first and last characters of a parameter are not known here.
        !/3\d\d/.test(text) &&
        !CODE_PLACES.test(place) &&
        /\p{sc=Han}[\w(]|[\w%)]\p{sc=Han}|\p{sc=Han}[,.:;!]/u.test(text),
    )
    expect(wrong).toEqual([])
  })
})

it('the page is called in its head what it is called in its title', () => {
  expect(headIn('.')).toMatchObject({ language: 'en', product: strings.product })
  expect(headIn('zh-cn')).toMatchObject({ language: 'zh-CN', product: chineseStrings.product })
})

it.each([
  ['1.0 Plus', '22:33 前不用，*1.0 Plus 作废*'],
  ['1.0 个账号', '22:33 前不用，*1.0 个账号作废*'],
])('a loss of %s in Chinese has no space between two Chinese words', (units, text) => {
  expect(chineseStrings.expires(units, '22:33', null)).toBe(text)
})
