import { epochMs, parseInstant } from '@svc/core'
import { seriesOf, type UsageRecord } from '@svc/core/usage'
import { expect, it } from 'vitest'
import { createZone } from '../format/format.ts'
import { statementNotes, statementOf, usageStatementText } from './usage-statement.ts'

const at = (text: string) => parseInstant(text) ?? epochMs(Number.NaN)
const NOW = at('2026-11-20T12:34:56Z')
const zone = createZone('Europe/Berlin')
/** Parameters of a URL, of which there is at most one of each name. */
const given = (values: Readonly<Record<string, string | undefined>>) => ({
  get: (name: string) => values[name] ?? null,
  getAll: (name: string) => (values[name] === undefined ? [] : [values[name]]),
})
type Asked = Partial<Pick<Parameters<typeof statementOf>[0], 'by' | 'each'>> &
  Readonly<Record<string, string | undefined>>
const asked = ({ by, each = 'all', ...parameters }: Asked) =>
  statementOf(
    { by, each, parameters: given({ from: '2026-10-24', ...parameters }) },
    { now: NOW, zone },
  )

it.each([
  ['all', ['2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z']],
  [
    'day',
    // The 25th has 25 hours.
    [
      '2026-10-23T22:00:00Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
      '2026-10-26T23:00:00Z',
    ],
  ],
  ['month', ['2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z']],
] as const)('divides its time into %s', (each, bounds) => {
  const { questions, from, to } = asked({ to: '2026-10-27', each })

  expect(questions.map(({ between }) => between?.from)).toEqual(bounds.slice(0, -1).map(at))
  expect(questions.map(({ between }) => between?.to)).toEqual(bounds.slice(1).map(at))
  expect([from, to]).toEqual([at(bounds[0]), at(bounds.at(-1) ?? '')])
})

it('ends now, in the month that has begun', () => {
  const { questions } = asked({ each: 'month' })

  expect(questions.map(({ between }) => between?.to)).toEqual([at('2026-10-31T23:00:00Z'), NOW])
})

it.each([
  [{ from: 'yesterday' }, /^from: /],
  [{ to: 'soon' }, /^to: /],
  [{ from: undefined }, /^from: a time before/],
  [{ to: '2026-10-24' }, /^from: a time before/],
  [{ by: 'client,api' }, /^by: /],
  [{ by: 'client,client' }, /^by: /],
  [{ by: 'client,model,account' }, /^by: /],
  [{ by: '' }, /^by: /],
  [{ status: 'teapot' }, /^status: /],
])('%j is refused in one sentence', (options, message) => {
  expect(() => asked(options)).toThrow(message)
})

const record: UsageRecord = {
  at: at('2026-10-25T12:00:00Z'),
  account: { id: '+a', label: '=cmd' },
  client: { id: 'team', label: 'team' },
  model: 'gpt',
  apiName: 'sk-1',
  provider: 'codex',
  upstream: 'default',
  requests: 2,
  tokens: 10,
  failed: 1,
  tokensIn: 4,
  tokensOut: 3,
}
const answersTo = ({ questions }: ReturnType<typeof statementOf>, records = [record]) =>
  questions.map((question) => seriesOf(records, question, { now: NOW, earliest: record.at }))

it('has a line for each pair of members in each part', () => {
  const statement = asked({ by: 'account,model', to: '2026-10-27', each: 'day' })
  const text = usageStatementText(answersTo(statement), statement, 'csv')

  expect(text).toBe(
    [
      'from,to,account_key,account_title,model,requests,failed,tokens,tokens_in,tokens_cached,tokens_written,tokens_out,tokens_unclassified,watched_percent',
      "2026-10-24T22:00:00.000Z,2026-10-25T23:00:00.000Z,%2Ba,'=cmd,gpt,2,1,10,4,0,0,3,3,100",
      '',
    ].join('\r\n'),
  )
})

it('has the same members in JSON, and says which ids no request has', () => {
  const statement = asked({ client: 'team,nobody' })
  const answers = answersTo(statement)

  expect(JSON.parse(usageStatementText(answers, statement, 'jsonl'))).toMatchObject({
    client: 'team',
    requests: 2,
    watchedPercent: 100,
  })
  expect(statementNotes(answers, statement)).toEqual([
    '2026-10-23T22:00:00.000Z to 2026-11-20T12:34:56.000Z',
    'client: an id that no request has; it matches nothing',
  ])
})

it('is refused where nothing answers a part of it', () => {
  const statement = asked({ by: 'account,client' })
  const many = [{ ...record, requests: 1_000_001 }]

  expect(() => usageStatementText(answersTo(statement, many), statement, 'csv')).toThrow(
    /^from: only single requests tell this, .* are more than 1000000$/,
  )
})
