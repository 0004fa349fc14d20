import { byId } from './by-id.ts'

/** Words of prices and costs. */
export const priceWords = {
  note: (source: string | null) =>
    `Cost is at the list price of the API, ${source ?? 'by own rates'}; it is not what was paid. Not in it, because no record tells them: cache writes that are kept for an hour (the 5-minute rate is taken), Claude's fast mode, tools and images.`,
  file: (kind: string, read: string) => `by the file of ${kind} read ${read}`,
  ofAccount: (day: string, week: string, month: string) =>
    `Cost at the list price of the API: ${day} in 24 h, ${week} in 7 days, ${month} in 30 days`,
  worth: (times: string, isAtLeast: boolean) =>
    `, ${isAtLeast ? 'at least ' : ''}${times} times what was paid`,
  subscriptions: (list: string, paid: string) =>
    `All subscriptions in 30 days: ${list} of usage at the list price of the API, ${paid} paid`,
  heads: {
    model: 'Model',
    rates: ['Input', 'Cache read', 'Cache write', 'Output'],
    source: 'From',
    tokens: 'Tokens, 30 days',
    cost: 'Cost',
  },
  caption: (asOf: string) =>
    `List prices of the API for all providers, in dollars a million tokens; usage until ${asOf}`,
  sources: byId<'file' | 'own'>({ file: 'price file', own: 'own rate' }),
  since: (source: string, day: string) => `${source}, since ${day}`,
  tiers: byId<'priority' | 'flex'>({ priority: 'priority', flex: 'flex' }),
  above: (tokens: string) => `above ${tokens} input`,
  loading: 'Loading the prices.',
  none: 'No model was used in the last 30 days.',
  noPrices:
    'No prices are set. Set `price_file` in the configuration to a price file, or `price_overrides` to own rates; `init prices` says how to fetch a file.',
  failed: 'The prices could not be loaded.',
}
