import { promises as fs } from 'node:fs'
import { readListPrices } from '@svc/collector'
import { noOwnPrices, type OwnPriceFile, ownPricesIn } from '@svc/config'
import { type EpochMs, HOUR_MS } from '@svc/core'
import { unpricedAfter } from '@svc/core/health'
import type { PriceFile, PriceSource } from '@svc/core/money'
import type { Clock, Log, UnpricedUsage } from '@svc/core/service'
import { readSecretFile } from '@svc/secret-files'

/** What the files of prices say, as they were when they could last be used. */
export interface ReadPrices extends OwnPriceFile {
  /** Null before any was read. */
  readonly list: (Pick<PriceFile, 'models' | 'refused'> & { readonly source: PriceSource }) | null
}

const LOOK_EVERY_MS = 15_000

/**
 * Reads the files of prices now and whenever they have changed; `onRead` gets what they say. A fault is logged once, and what was read before stays in
 * force.
 */
export function createPriceWatch(
  files: { readonly priceFile: string | null; readonly priceOverrides: string | null },
  {
    clock,
    log,
    onRead,
  }: { readonly clock: Clock; readonly log: Log; readonly onRead: (read: ReadPrices) => void },
) {
  let read: ReadPrices = { list: null, ...noOwnPrices }
  let cancelNext = () => {}
  let stopped = files.priceFile === null && files.priceOverrides === null
  const list = createFileLook(files.priceFile, 'price_file', listPrices, log)
  const own = createFileLook(files.priceOverrides, 'price_overrides', ownPrices, log)

  const look = async (): Promise<void> => {
    if (stopped) return
    const [nextList, nextOwn] = [await list(), await own()]
    if (stopped) return
    cancelNext()
    cancelNext = clock.schedule(LOOK_EVERY_MS, () => void look())
    if (nextList === null && nextOwn === null) return
    const { file, sha256 } = nextList ?? {}
    if (file !== undefined && sha256 !== undefined)
      read = {
        ...read,
        list: { ...file, source: { kind: file.kind, sha256, readAt: clock.now() } },
      }
    read = { ...read, ...nextOwn }
    onRead(read)
  }

  return {
    /** Resolves once the files were looked at. */
    start: look,
    stop() {
      stopped = true
      cancelNext()
    },
  }
}

/** What a file says, or why it is not used. */
type FileReading<Value> =
  | { readonly value: Value }
  | { readonly fault: string; readonly why: string }

async function listPrices(path: string) {
  const found = await readListPrices(path)
  return found.kind === 'prices'
    ? { value: found }
    : { fault: found.code, why: found.reason ?? 'neither of LiteLLM nor of models.dev' }
}

async function ownPrices(path: string): Promise<FileReading<OwnPriceFile>> {
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem')
    return reading.reason === 'empty'
      ? { value: noOwnPrices }
      : { fault: 'price_overrides_unreadable', why: reading.reason }
  const found = ownPricesIn(reading.text)
  return 'problem' in found
    ? { fault: 'price_overrides_invalid', why: found.problem }
    : { value: found }
}

/** Looks at a file; null if there is nothing new in it, or it cannot be used. */
function createFileLook<Value>(
  path: string | null,
  key: string,
  readFile: (path: string) => Promise<FileReading<Value>>,
  log: Log,
): () => Promise<Value | null> {
  let seen: string | null = null
  /** The fault that was logged last; empty if the file is in use. */
  let told = ''
  return async () => {
    if (path === null) return null
    const now = await stateOf(path)
    // Whether a file can be read depends on its folders too.
    if (now === seen && !/^\w+_unreadable /.test(told)) return null
    seen = now
    const reading = await readFile(path)
    if ('value' in reading) {
      if (told !== '') log.info('prices can be read again', { key })
      told = ''
      return reading.value
    }
    const { fault, why } = reading
    const next = `${fault} ${why}`
    if (next !== told) log.warn('prices not usable', { key, reason: fault, detail: why })
    told = next
    return null
  }
}

/** What changes with the content of a file; empty if it cannot be looked at. */
async function stateOf(path: string): Promise<string> {
  return await fs.stat(path).then(
    ({ mtimeMs, ctimeMs, size, ino }) => [mtimeMs, ctimeMs, size, ino].join(' '),
    () => '',
  )
}

/** Delay after the files of prices were read, in which the store takes the prices over. */
const FIRST_LOOK_MS = 60_000
const UNPRICED_EVERY_MS = HOUR_MS

/**
 * Looks once an hour for usage without a price. What it finds is kept in memory: after a restart the time for which too much was unpriced begins anew.
 */
export function createUnpricedWatch({
  shareAt,
  clock,
}: {
  /** Null if unknown. */
  readonly shareAt: (now: EpochMs) => Promise<number | null>
  readonly clock: Clock
}) {
  let latest: UnpricedUsage | null = null
  let cancelNext = () => {}
  const lookIn = (delayMs: number) => {
    cancelNext()
    cancelNext = clock.schedule(delayMs, () => {
      lookIn(UNPRICED_EVERY_MS)
      const now = clock.now()
      void shareAt(now).then(
        (share) => {
          latest = unpricedAfter(latest, share, now)
        },
        // A store that cannot be read says nothing.
        () => undefined,
      )
    })
  }
  return {
    latest: () => latest,
    /** Looks soon, because there are other prices. */
    pricesRead: () => lookIn(FIRST_LOOK_MS),
    stop: () => cancelNext(),
  }
}
