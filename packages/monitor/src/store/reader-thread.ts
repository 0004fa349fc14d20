import type { EpochMs } from '@svc/core'
import type { UsageRanking } from '@svc/core/usage'
import { openUsage, type StoredUsage } from '@svc/history'
import {
  catalogueOf,
  healthHistoryView,
  pricesView,
  quotaCourseView,
  usageFailuresView,
} from '@svc/views'
import { encodeJson } from '../answers/encode-json.ts'
import {
  encodeChart,
  encodeRows,
  unpricedShare,
  usageByAccount,
  worthOf,
} from '../answers/history-questions.ts'
import type { PricesInUse, ReaderApi, ReaderSetup } from './store-threads.ts'

/** The methods of the reading thread. Questions may be asked at once: a store in a file answers one after the other, a database several. */
export function createReaderThread(
  { place, retentionDays, language, silentMsMax }: ReaderSetup,
  open: typeof openUsage = openUsage,
): ReaderApi {
  const words = catalogueOf(language)
  let opened: Promise<StoredUsage> | null = null
  let labels: ReadonlyMap<string, string> = new Map()
  let prices: PricesInUse | null = null

  /** After the answers under way. The next question opens the store again. */
  const close = async (closing: Promise<StoredUsage> | null) => {
    if (opened === closing) opened = null
    const usage = await closing?.catch(() => null)
    await usage?.close()
  }
  /** The store may not exist yet, or be replaced, so it is opened when it is first asked and after every failure. */
  const closedOnFailure = async <Answer>(
    ask: (asked: StoredUsage) => Promise<Answer>,
  ): Promise<Answer> => {
    opened ??= open({ ...place, retentionDays })
    const asked = opened
    try {
      const usage = await asked
      usage.useLabels(labels)
      if (prices !== null) usage.usePrices(prices)
      return await ask(usage)
    } catch (error) {
      // Of several answers that fail the first one closes it, and does not wait for the others.
      if (opened === asked) void close(asked).catch(() => undefined)
      throw error
    }
  }

  return {
    // Worded, encoded and compressed here, so that the main thread has nothing to do but to hand it out.
    async chart(request, now) {
      const series = await closedOnFailure((asked) => asked.series(request.query, now))
      return encodeChart(series, request, words)
    },
    async course(query, now) {
      const course = await closedOnFailure((asked) => asked.course(query, { now, silentMsMax }))
      return course === null ? null : encodeJson(quotaCourseView(course, query, { now, words }))
    },
    async health(now, provider) {
      const moment = { now, provider, silentMsMax }
      return encodeJson(
        healthHistoryView(await closedOnFailure((asked) => asked.health(moment)), now),
      )
    },
    cycles: (weights, span) => closedOnFailure((asked) => asked.cycles(weights, span, silentMsMax)),
    rows: (request, left) => closedOnFailure((asked) => encodeRows(asked, request, left)),
    failures: async (question, now) =>
      encodeJson(
        usageFailuresView(await closedOnFailure((asked) => asked.failures(question, now)), words),
      ),
    prices: (accounts, now) =>
      closedOnFailure(async (asked) => {
        const seen = await asked.prices(now)
        const { subscriptions = [] } = prices ?? {}
        if (subscriptions.length === 0) return encodeJson(pricesView(seen, null, words))
        const usage = await usageByAccount(asked, subscriptions, now)
        return encodeJson(pricesView(seen, worthOf(accounts, usage, now), words))
      }),
    summary: (now) => closedOnFailure((asked) => asked.summary(now)),
    unpricedShare: (now) => closedOnFailure((asked) => unpricedShare(asked, now)),
    accountUsage: (now) =>
      closedOnFailure((asked) => usageByAccount(asked, prices?.subscriptions ?? [], now)),
    ranking: (top, now) => closedOnFailure((asked) => rankingOf(asked, labels, { top, now })),
    useLabels(next) {
      labels = next
    },
    usePrices(next) {
      prices = next
    },
    close: () => close(opened),
  }
}

/** The most used models and labelled clients of the last week. Empty where no sums tell it. */
async function rankingOf(
  usage: Pick<StoredUsage, 'series'>,
  labels: ReadonlyMap<string, string>,
  { top, now }: { readonly top: number; readonly now: EpochMs },
): Promise<UsageRanking> {
  const question = { range: '7d', metric: 'requests', top } as const
  const models = await usage.series({ ...question, group: 'model', second: 'provider' }, now)
  const clients = await usage.series({ ...question, group: 'client' }, now)
  const known = new Set(labels.values())
  return {
    models: models.lines.flatMap(({ members: [model, provider] = [] }) =>
      model === undefined || provider === undefined
        ? []
        : [{ model: model.id, provider: provider.id }],
    ),
    clients: clients.lines.flatMap(({ id }) => (known.has(id) ? [id] : [])),
  }
}
