import { promises as fs } from 'node:fs'
import { readListPrices } from '@svc/collector'
import { type Config, ownPricesIn } from '@svc/config'
import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import { refusedPrices } from '@svc/core/money'
import { isUntrusted, readSecretFile, secretFileProblems } from '@svc/secret-files'
import { type CheckVerdict, fail, ok, refusedFile, skip, type Verdicts } from './finding.ts'

/** Whether the files of prices can be used, and what is in them. */
export async function priceChecks({ history }: Config, now: EpochMs): Promise<Verdicts> {
  return {
    price_file: await listVerdict(history.priceFile, now),
    price_overrides: await ownVerdict(history.priceOverrides),
  }
}

const HASH_DIGITS_SHOWN = 12
const FETCH_AGAIN = 'Fetch it again; `init prices` says how.'

async function listVerdict(path: string | null, now: EpochMs): Promise<CheckVerdict> {
  if (path === null) return skip('price_file is not set')
  const found = await readListPrices(path)
  if (found.kind === 'fault') {
    const { code, reason } = found
    if (reason === null)
      return fail(code, `${path} has the shape of neither LiteLLM nor models.dev`, FETCH_AGAIN)
    if (isUntrusted(reason)) return refusedFile(reason, path, 'price_file')
    const [why, remedy] = secretFileProblems[reason]
    const isOfContent = code !== 'price_file_unreadable'
    return fail(
      code,
      `${path} ${why}`,
      isOfContent ? FETCH_AGAIN : remedy.replace('KEY', 'price_file'),
    )
  }
  const { file, sha256 } = found
  const days = Math.floor((now - epochMs((await fs.stat(path)).mtimeMs)) / DAY_MS)
  const refused = [...file.refused.values()]
  const counts = refusedPrices.flatMap((reason) => {
    const count = refused.filter((one) => one === reason).length
    return count === 0 ? [] : [`${reason} ${count}`]
  })
  return ok(
    [
      `${path}: ${file.kind}, ${file.models.size} models`,
      `${Math.max(0, days)} days old`,
      `sha256 ${sha256.slice(0, HASH_DIGITS_SHOWN)}`,
      ...(counts.length === 0 ? [] : [`refused: ${counts.join(', ')}`]),
    ].join(', '),
  )
}

async function ownVerdict(path: string | null): Promise<CheckVerdict> {
  if (path === null) return skip('price_overrides is not set')
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem' && reading.reason !== 'empty')
    return refusedFile(reading.reason, path, 'price_overrides')
  const read = ownPricesIn(reading.kind === 'text' ? reading.text : '')
  if ('problem' in read)
    return fail(
      'price_overrides_invalid',
      `${path}: ${read.problem}`,
      'Correct that line; until then none of the file is used.',
    )
  const { own, subscriptions } = read
  return ok(
    `${path}: ${own.rates.length} prices, ${own.multipliers.length} multipliers, ${subscriptions.length} subscriptions`,
  )
}
