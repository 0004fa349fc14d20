import { epochMs } from '@svc/core'
import {
  type BandRates,
  type DatedPrice,
  dayOf,
  type OwnPrices,
  picoUsdOf,
  type SubscriptionPrice,
} from '@svc/core/money'
import { bandBounds } from '@svc/core/usage'
import * as v from 'valibot'
import { headLines } from './tables.ts'
import { tomlDocumentAt } from './toml-document.ts'

/** Content of a file of own prices. */
export interface OwnPriceFile {
  readonly own: OwnPrices
  readonly subscriptions: readonly SubscriptionPrice[]
}

export const noOwnPrices: OwnPriceFile = {
  own: { rates: [], multipliers: [] },
  subscriptions: [],
}

const TABLES_MAX = 1_000
const USD_MAX = 100_000
const TIMES_MAX = 100

/** The values that each key may have, for messages. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['model', 'the name of a model'],
  ['tier', 'standard, priority or flex'],
  ['above', [0, ...bandBounds].join(', ')],
  ['from', 'a day as in "2026-07-01"'],
  ...['input', 'cache_read', 'cache_write', 'output'].map(
    (key) =>
      [key, 'dollars a million tokens, 0 to 1000, at most six digits after the point'] as const,
  ),
  ['times', `a text as in "0.3", 0 to ${TIMES_MAX}, at most four digits after the point`],
  ['provider', 'the name of a provider'],
  ['account', 'an accountKey'],
  ['plan', 'the name of a plan'],
  ['usd', `a number from 0 to ${USD_MAX}`],
  ['per', 'month or year'],
])

/** Neither an address of e-mail nor blank. */
const name = v.pipe(v.string(), v.regex(/^[^\s@]{1,200}$/))
const usdAMillion = v.pipe(
  v.number(),
  v.transform((usd) => picoUsdOf(usd, 6)),
  v.number(),
)
const from = v.optional(
  v.pipe(
    v.string(),
    v.isoDate(),
    v.check((day) => new Date(day).toISOString().startsWith(day)),
    v.transform((day) => dayOf(epochMs(Date.parse(day)))),
  ),
  '1970-01-01',
)

const rateTable = v.strictObject({
  model: name,
  tier: v.optional(v.picklist(['standard', 'priority', 'flex']), 'standard'),
  above: v.optional(v.picklist([0, ...bandBounds]), 0),
  from,
  input: usdAMillion,
  cache_read: v.optional(usdAMillion),
  cache_write: v.optional(usdAMillion),
  output: usdAMillion,
})

const multiplierTable = v.pipe(
  v.strictObject({
    provider: v.optional(name),
    account: v.optional(name),
    times: v.pipe(
      v.string(),
      v.regex(/^\d{1,3}(?:\.\d{1,4})?$/),
      v.transform((times) => Math.round(Number(times) * 10_000)),
      v.maxValue(TIMES_MAX * 10_000),
    ),
    from,
  }),
  v.check(
    ({ provider, account }) => (provider === undefined) !== (account === undefined),
    'expected one of provider and account',
  ),
)

const subscriptionTable = v.pipe(
  v.strictObject({
    provider: v.optional(name),
    plan: v.optional(name),
    account: v.optional(name),
    usd: v.pipe(v.number(), v.minValue(0), v.maxValue(USD_MAX)),
    per: v.picklist(['month', 'year']),
    from,
  }),
  v.check(
    ({ provider, plan, account }) =>
      account === undefined
        ? provider !== undefined && plan !== undefined
        : provider === undefined && plan === undefined,
    'expected account, or provider and plan',
  ),
)

const tables = <Table extends v.GenericSchema>(table: Table) =>
  v.optional(v.pipe(v.array(table), v.maxLength(TABLES_MAX, `at most ${TABLES_MAX} tables`)), [])
const fileSchema = v.strictObject({
  rate: tables(rateTable),
  multiplier: tables(multiplierTable),
  subscription: tables(subscriptionTable),
})

/** Reads the text of a file of own prices, or names its first mistake in one line. A file with a mistake is refused whole. */
export function ownPricesIn(text: string): OwnPriceFile | { readonly problem: string } {
  if (text.trim() === '') return noOwnPrices
  const document = tomlDocumentAt('', 'price_overrides', () => text)
  if (document === null) return noOwnPrices
  if ('problem' in document) return { problem: document.problem.message.replace(/: $/, '') }
  const parsed = v.safeParse(fileSchema, document.values)
  if (!parsed.success) return { problem: problemOf(text, parsed.issues[0]) }
  const { rate, multiplier, subscription } = parsed.output
  const mistake = rateMistake(rate)
  if (mistake !== null)
    return { problem: placed(text, 'rate', rate.indexOf(mistake.rate), mistake.key, mistake.why) }
  return {
    own: {
      rates: datedPrices(rate),
      multipliers: multiplier.map(({ provider, account, times, from: fromDay }) => ({
        of: account === undefined ? { provider: provider ?? '' } : { account },
        times,
        fromDay,
      })),
    },
    subscriptions: subscription.map(({ provider, plan, account, usd, per, from: fromDay }) => ({
      of: account === undefined ? { provider: provider ?? '', plan: plan ?? '' } : { account },
      usd,
      per,
      fromDay,
    })),
  }
}

type OwnRate = v.InferOutput<typeof rateTable>

/** The prices of each model from a day on; its tables of that day are one price. */
function datedPrices(rates: readonly OwnRate[]): readonly DatedPrice[] {
  const found = new Map<string, DatedPrice & { readonly rates: BandRates[] }>()
  for (const one of rates) {
    const { model, tier, above, from: fromDay, input, output } = one
    const price = found.get(`${fromDay} ${model}`) ?? { model, fromDay, rates: [], source: null }
    found.set(`${fromDay} ${model}`, price)
    price.rates.push({
      tier: tier === 'standard' ? null : tier,
      band: [0, ...bandBounds].indexOf(above),
      rates: {
        in: input,
        read: one.cache_read ?? null,
        write: one.cache_write ?? null,
        out: output,
      },
    })
  }
  return [...found.values()]
}

/** A table that is there twice, or whose model has no price of an ordinary request. */
function rateMistake(rates: readonly OwnRate[]) {
  const places = new Map<string, OwnRate>()
  const place = ({ model, from: fromDay, tier, above }: OwnRate) =>
    [fromDay, tier, above, model].join(' ')
  for (const rate of rates) {
    if (places.has(place(rate)))
      return {
        rate,
        key: 'model',
        why: 'another table before it has this model, tier, above and from',
      }
    places.set(place(rate), rate)
  }
  for (const rate of rates)
    if (!places.has(place({ ...rate, tier: 'standard', above: 0 })))
      return {
        rate,
        key: 'model',
        why: 'expected a table of this model and day with tier = "standard" and above = 0 too',
      }
  return null
}

function problemOf(text: string, issue: v.BaseIssue<unknown>): string {
  const [table, index, key] = (issue.path ?? []).map((item) => String(item.key))
  if (table === undefined || !['rate', 'multiplier', 'subscription'].includes(table))
    return `unknown key ${JSON.stringify(table)}: expected [[rate]], [[multiplier]] and [[subscription]]`
  const allowed = ALLOWED.get(key ?? '')
  const isUnknown = issue.type === 'strict_object' && issue.expected === 'never'
  const isMissing = issue.type === 'strict_object' && !isUnknown
  const own = issue.type === 'check' || issue.type === 'max_length' ? issue.message : null
  const why = isUnknown
    ? 'unknown key'
    : key === undefined
      ? (own ?? `expected tables as in [[${table}]]`)
      : `${isMissing ? 'is missing, ' : ''}expected ${allowed}`
  return placed(text, table, Number(index ?? 0), key ?? table, why)
}

/** A mistake with its line, counted from 1, and its key. */
function placed(text: string, table: string, index: number, key: string, why: string): string {
  const head = headLines(table, text)[index]
  if (head === undefined) return `[[${table}]] ${index + 1}, ${key}: ${why}`
  const rest = text.split('\n').slice(head)
  const end = rest.findIndex((line) => /^\s*\[/.test(line))
  const own = rest.slice(0, end < 0 ? rest.length : end)
  const offset = own.findIndex((line) => /^[\s"']*([\w-]*)/.exec(line)?.[1] === key)
  return `line ${offset < 0 ? head : head + offset + 1}, ${key}: ${why}`
}
