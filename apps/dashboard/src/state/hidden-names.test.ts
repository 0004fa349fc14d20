import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hideNamesInCsv, hideNamesInJson } from '../shell/masked-file.ts'
import { anEntry, showPool } from '../testing/page.ts'
import { hideNames } from './hidden-names.ts'
import { health, status } from './live-data.ts'
import { series } from './usage-question.ts'

const USER = 'user-[0-9a-f]{4}'

/** Sets a chart with this grouping and these line labels. */
function showChart(group: string, labels: readonly string[]): void {
  const lines = labels.map((label) => ({ id: label, label }))
  series.value = {
    query: { group },
    series: lines,
    breakdown: { items: lines },
  } as unknown as NonNullable<typeof series.value>
}

beforeEach(() => {
  showPool([
    anEntry('ana', {}, { title: 'Zoé Lefèvre (Lyon)' }),
    anEntry('bob', {}, { title: 'Zoé' }),
    anEntry(
      'cyd',
      {},
      {
        selector: { authName: 'team-laptop.json', authIndex: 'index-cyd', accountKey: 'key-cyd' },
      },
    ),
  ])
})
afterEach(() => {
  health.value = null
})

describe('names that people chose', () => {
  it('are hidden in actions about accounts that the page does not list', () => {
    const action = { names: ['Kimi of the lab · Allegretto'] }
    health.value = { actions: [action], recentChanges: [] } as unknown as typeof health.value

    expect(hideNames('Kimi of the lab · Allegretto: the login is no longer accepted.')).toMatch(
      new RegExp(`^${USER}: the login`, 'u'),
    )
    expect(hideNames('Kimi of the lab')).toMatch(new RegExp(`^${USER}$`, 'u'))
  })

  it.each([
    { text: 'Zoé Lefèvre (Lyon)', left: `^${USER}$` },
    { text: 'Zoé Lefèvre (Lyon): the login is gone.', left: `^${USER}: the login is gone\\.$` },
    { text: 'Log in Zoé, and 3 more', left: `^Log in ${USER}, and 3 more$` },
    { text: 'team-laptop.json', left: `^${USER}$` },
    { text: 'cyd@example.com, Zoé', left: `^${USER}, ${USER}$` },
  ])('are hidden in "$text"', ({ text, left }) => {
    expect(hideNames(text)).toMatch(new RegExp(left, 'u'))
  })

  it.each([
    { title: 'Kimi of the lab', text: 'Kimi of the lab is back', left: `^${USER} is back$` },
    { title: 'Ana @ lab', text: 'Ana @ lab', left: `^${USER}$` },
    { title: 'Lab · Ana', text: 'Lab · Ana', left: `^${USER} · ${USER}$` },
    { title: 'Lab · Plus · abcd', text: 'Lab · Plus · abcd', left: `^${USER} · Plus · abcd$` },
  ])('are hidden where an operator noted "$title"', ({ title, text, left }) => {
    const selector = { authName: 'kimi-1.json', authIndex: 'abcdef01', accountKey: 'k' }
    showPool([anEntry('dan', {}, { title, selector })])

    expect(hideNames(text)).toMatch(new RegExp(left, 'u'))
  })

  it.each(['Zoéline', 'Ready, unproven', 'Plus', '16.1 of 41 Plus usable', ''])(
    'are not seen in "%s"',
    (text) => {
      expect(hideNames(text)).toBe(text)
    },
  )

  it('are hidden of an account that has left the pool, and what is no account is not', () => {
    const [change] = [
      { id: 'x', kind: 'account', title: 'Paul · Plus', badge: '', summary: '', tone: 'good' },
    ] as unknown as NonNullable<typeof health.value>['recentChanges']
    if (health.value === null || change === undefined) throw new Error('there is no health')
    health.value = {
      ...health.value,
      recentChanges: [change, { ...change, kind: 'source', title: 'Gateway' }],
    }

    expect(hideNames('Paul')).toMatch(new RegExp(`^${USER}$`))
    expect(hideNames('Gateway')).toBe('Gateway')
  })

  it.each([
    { group: 'client', label: "Ana's laptop", isHidden: true },
    { group: 'api', label: 'build key', isHidden: true },
    { group: 'client', label: 'client-5f21c0de', isHidden: false },
    { group: 'model', label: 'gpt-5.5-codex', isHidden: false },
  ])('of a chart by $group, "$label", are hidden: $isHidden', ({ group, label, isHidden }) => {
    showChart(group, [label])

    expect(hideNames(label) !== label).toBe(isHidden)
  })

  it('are all hidden where nothing is known, as far as they are addresses', () => {
    status.value = null
    health.value = null

    expect(hideNames('Log in ana@example.com')).toMatch(new RegExp(`^Log in ${USER}$`))
  })
})

describe('a file', () => {
  beforeEach(() => showChart('client', ['The "big", one', 'Frontend team']))

  it('of comma-separated values keeps its fields and its lines', () => {
    const csv = 'timestamp,label,tokens\r\n1,"The ""big"", one",5\r\n2,Frontend team,6\r\n'

    expect(hideNamesInCsv(csv)).toMatch(
      new RegExp(`^timestamp,label,tokens\\r\\n1,"${USER}",5\\r\\n2,${USER},6\\r\\n$`),
    )
  })

  it('of JSON keeps all but its texts', () => {
    const json = JSON.stringify({ tokens: 5, label: 'The "big", one', lines: ['Frontend team'] })
    const hidden = JSON.parse(hideNamesInJson(json)) as Record<string, unknown>

    expect(hidden).toEqual({
      tokens: 5,
      label: expect.stringMatching(USER),
      lines: [expect.stringMatching(USER)],
    })
  })
})
