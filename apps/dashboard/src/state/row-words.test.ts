import { anAccount, aQuotaSample, evidenceOf, fromNow } from '@svc/core/testing'
import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { anEntry, draw, type Entry, elementsOf, showPool } from '../testing/page.ts'
import { Accounts } from '../views/accounts.tsx'
import { query } from './account-filters.ts'
import { found } from './account-search.ts'
import { privacy } from './display-state.ts'
import { accountKeyOf } from './pool.ts'

const read = aQuotaSample({ fiveHour: 50, week: 60, ageSeconds: 0 })
const spend = { id: 'spend', periodSeconds: null, percent: 0, resetAt: null }
const month = { id: 'month', periodSeconds: 2_592_000, percent: 60, resetAt: null }

/** Accounts in every state with words in a row. */
const pool: readonly Entry[] = [
  anEntry('ana', { fiveHour: 100 }),
  anEntry('bob', { fiveHour: 0 }),
  [anAccount('cyd'), evidenceOf([{ ...read, windows: [...read.windows, spend] }])],
  anEntry('dan', {}, { operatorDisabled: true }),
  [anAccount('eve', { nextRetryAt: fromNow(600), unavailable: true }), null],
  [anAccount('fay', { unavailable: true }), null],
  [anAccount('gil'), evidenceOf([{ ...read, windows: [month] }])],
  [anAccount('hal'), evidenceOf([aQuotaSample({ fiveHour: 80, week: 0, ageSeconds: 0 })])],
  [anAccount('ida'), evidenceOf([aQuotaSample({ fiveHour: 50, week: 60 }, { origin: 'headers' })])],
  anEntry('jon', { ageSeconds: 7_200 }),
  anEntry('kim', { ageSeconds: 58, resetsInSeconds: -20 }),
  anEntry('leo', {}, { subscribedUntil: fromNow(-86_400), modifiedAt: fromNow(-3_600) }),
]

let rows: readonly HTMLElement[]

beforeEach(() => {
  showPool(pool)
  rows = elementsOf(draw(h(Accounts, { title: 'Accounts' })), 'tbody tr:not(.group)')
})

/** Names of windows are beside every share if the column heads are hidden. */
const APART = '.sr, .window-name, button, .pick'

/** The words of each text in a row, as they are seen. */
function wordsIn(row: HTMLElement): readonly string[] {
  const texts: string[] = []
  const walk = (node: Node, isApart: boolean) => {
    if (node.nodeType === 3 && !isApart) texts.push(node.textContent ?? '')
    for (const child of node.childNodes)
      walk(child, isApart || elementsOf(row, APART).some((one) => one === child))
  }
  walk(row, false)
  return texts.flatMap((text) => text.toLowerCase().match(/\p{L}{2,}/gu) ?? [])
}

const keysFound = () => found.value.map(({ account }) => accountKeyOf(account))
const keyOf = (row: HTMLElement) => row.getAttribute('data-key') ?? ''

describe('the search', () => {
  it('finds every word that stands on a row', () => {
    expect(rows).toHaveLength(pool.length)
    const missed = rows.flatMap((row) =>
      wordsIn(row)
        // Units of time, as in `2h 30min`.
        .filter((word) => !['min', 'left'].includes(word))
        .filter((word) => {
          query.value = word
          return !keysFound().includes(keyOf(row))
        }),
    )

    expect(missed).toEqual([])
  })

  it('finds nothing that does not stand on the row', () => {
    const everyWord = new Set(rows.flatMap(wordsIn))
    const names = ['codex', 'json', 'key', 'index', 'operator', 'quota_exhausted', 'scheduled']
    const wrong = [...everyWord, ...names].flatMap((word) => {
      query.value = word
      const keys = new Set(keysFound())
      return rows
        .filter((row) => keys.has(keyOf(row)) && !wordsIn(row).join(' ').includes(word))
        .map((row) => [word, keyOf(row)])
    })

    expect(wrong).toEqual([])
  })

  it('finds a name that is hidden only as it is shown', () => {
    privacy.value = true
    query.value = 'ana@'

    expect(keysFound()).toEqual([])
  })
})
