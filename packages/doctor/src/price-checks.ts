import { promises as fs } from 'node:fs'
import { type ListPrices, readListPrices } from '@svc/collector'
import { type Config, noOwnPrices, ownPricesIn } from '@svc/config'
import { DAY_MS, type EpochMs } from '@svc/core'
import {
  modelNamesOf,
  type OwnPrices,
  type PricedModel,
  type PriceFile,
  type PriceSettings,
  refusedPrices,
} from '@svc/core/money'
import { isUntrusted, readSecretFile, secretFileProblems } from '@svc/secret-files'
import { countedText, printable } from '@svc/views/format'
import { type CheckVerdict, fail, ok, refusedFile, skip, type Verdicts } from './finding.ts'

/** Whether the files of prices can be used, what is in them, and how much of the usage they price. */
export async function priceChecks({ history }: Config, now: EpochMs): Promise<Verdicts> {
  const { own, verdict } = await ownPrices(history.priceOverrides)
  return { price_file: await listVerdict(history, own, now), price_overrides: verdict }
}

async function listVerdict(
  history: Config['history'],
  own: OwnPrices,
  now: EpochMs,
): Promise<CheckVerdict> {
  const { priceFile } = history
  if (priceFile === null) return skip('price_file is not set')
  const list = await readListPrices(priceFile)
  if (list.kind === 'fault') return faultVerdict(list, priceFile)
  const usage = await usageTexts(history, { list: list.file, own }, now)
  return ok([await listText(list, priceFile, now), ...usage].join(', '))
}

const HASH_DIGITS_SHOWN = 12
const MODELS_SHOWN = 5
const FETCH_AGAIN = 'Fetch it again; `init prices` says how.'

function faultVerdict(
  { code, reason }: Extract<ListPrices, { readonly kind: 'fault' }>,
  path: string,
): CheckVerdict {
  if (reason === null)
    return fail(code, `${path} has the shape of neither LiteLLM nor models.dev`, FETCH_AGAIN)
  if (isUntrusted(reason)) return refusedFile(reason, path, 'price_file')
  const [why, remedy] = secretFileProblems[reason]
  return fail(
    code,
    `${path} ${why}`,
    code === 'price_file_unreadable' ? remedy.replace('KEY', 'price_file') : FETCH_AGAIN,
  )
}

async function listText(
  { file, sha256 }: Extract<ListPrices, { readonly kind: 'prices' }>,
  path: string,
  now: EpochMs,
): Promise<string> {
  const days = Math.floor((now - (await fs.stat(path)).mtimeMs) / DAY_MS)
  const refused = [...file.refused.values()]
  const counts = refusedPrices.flatMap((reason) => {
    const count = refused.filter((one) => one === reason).length
    return count === 0 ? [] : [`${reason} ${count}`]
  })
  return [
    `${path}: ${file.kind}, ${countedText(file.models.size, 'model')}`,
    `${countedText(Math.max(0, days), 'day')} old`,
    `sha256 ${sha256.slice(0, HASH_DIGITS_SHOWN)}`,
    ...(counts.length === 0 ? [] : [`refused: ${counts.join(', ')}`]),
  ].join(', ')
}

/** How much of the usage of 30 days has a price, and which models have none; empty if the history cannot be asked or has no usage. */
async function usageTexts(
  history: Config['history'],
  { list, own }: { readonly list: PriceFile; readonly own: OwnPrices },
  now: EpochMs,
): Promise<readonly string[]> {
  const { stateDb } = history
  if (stateDb === null) return []
  const seen = await modelsSeen(stateDb, history, { own, refused: list.refused }, now)
  const unpriced = seen.flatMap(({ model, tokens, cost, price }) => {
    // The service may not have taken the prices of the file yet.
    const isListed = price === null && modelNamesOf(model).some((name) => list.models.has(name))
    const left = isListed ? 0 : cost.unpricedTokens
    return left === 0 ? [] : [{ model, tokens, left }]
  })
  const tokens = seen.reduce((sum, one) => sum + one.tokens, 0)
  if (tokens === 0) return []
  const left = unpriced.reduce((sum, one) => sum + one.left, 0)
  const share = Math.floor((1 - left / tokens) * 1_000) / 10
  const named = unpriced
    .sort((one, other) => other.left - one.left)
    .slice(0, MODELS_SHOWN)
    .map((one) => `${printable(one.model)} (${one.left})`)
  return [
    `${share} % of the tokens of 30 days have a price`,
    ...(named.length === 0 ? [] : [`most have none of: ${named.join(', ')}`]),
  ]
}

async function modelsSeen(
  location: string,
  { stateDbPasswordFile: passwordFile, stateDbReplica: replica }: Config['history'],
  prices: PriceSettings,
  now: EpochMs,
): Promise<readonly PricedModel[]> {
  const { HistoryError, openUsage } = await import('@svc/history')
  try {
    const usage = await openUsage({ location, passwordFile, replica, retentionDays: 0 })
    usage.usePrices(prices)
    return (await usage.prices(now).finally(() => usage.close())).models
  } catch (error) {
    if (error instanceof HistoryError) return []
    throw error
  }
}

/** Own prices, none where they cannot be used, and the verdict on their file. */
async function ownPrices(
  path: string | null,
): Promise<{ readonly own: OwnPrices; readonly verdict: CheckVerdict }> {
  const { own: none } = noOwnPrices
  if (path === null) return { own: none, verdict: skip('price_overrides is not set') }
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem' && reading.reason !== 'empty')
    return { own: none, verdict: refusedFile(reading.reason, path, 'price_overrides') }
  const read = ownPricesIn(reading.kind === 'text' ? reading.text : '')
  if ('problem' in read)
    return {
      own: none,
      verdict: fail(
        'price_overrides_invalid',
        `${path}: ${read.problem}`,
        'Correct that line; until then none of the file is used.',
      ),
    }
  const { own, subscriptions } = read
  return {
    own,
    verdict: ok(
      `${path}: ${countedText(own.rates.length, 'price')}, ${countedText(own.multipliers.length, 'multiplier')}, ${countedText(subscriptions.length, 'subscription')}`,
    ),
  }
}
