import { type Clock, type KeyFileProblem, type Log, Redacted } from '@svc/core/service'
import { onlyLineOf, readSecretFile } from '@svc/secret-files'

/** Content of a key file, or the reason it is not used. `readableByOthers` is only a warning. */
export type KeyFileReading =
  | { readonly kind: 'key'; readonly key: Redacted; readonly readableByOthers: boolean }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem }

/** Characters a header value can carry. */
const KEY_TEXT = /^[\x20-\x7e]+$/

/** Reads the file that holds the management key. Never throws; a problem names its kind, never the content. */
export async function readKeyFile(path: string): Promise<KeyFileReading> {
  const reading = await readSecretFile(path)
  return reading.kind === 'text' ? keyFromText(reading.text, reading.readableByOthers) : reading
}

/** Trims a key and checks that it can be sent. */
export function keyFromText(text: string, readableByOthers: boolean): KeyFileReading {
  const key = onlyLineOf(text)?.trim()
  if (key === undefined) return { kind: 'problem', reason: 'several_lines' }
  if (key === '') return { kind: 'problem', reason: 'empty' }
  return KEY_TEXT.test(key)
    ? { kind: 'key', key: new Redacted(key), readableByOthers }
    : { kind: 'problem', reason: 'odd_characters' }
}

interface KeyPlan {
  /** Takes precedence over the file. */
  readonly fromEnvironment: Redacted | null
  readonly path: string | null
  readonly periodSeconds: number
  readonly onReading: (reading: KeyFileReading | null) => void
}

/** The management key, from the environment or from a file that is read again every period. */
export function createManagementKeySource(
  plan: KeyPlan,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  let reading: KeyFileReading | null = null
  let stopped = false
  let cancelNext = () => {}

  const readKey = async (): Promise<KeyFileReading | null> => {
    if (plan.fromEnvironment !== null) return keyFromText(plan.fromEnvironment.reveal(), false)
    return plan.path === null ? null : await readKeyFile(plan.path)
  }

  const read = async () => {
    cancelNext()
    const now = await readKey()
    if (stopped) return
    tellOfChange(log, reading, now)
    reading = now
    if (plan.fromEnvironment === null && plan.path !== null) {
      cancelNext()
      cancelNext = clock.schedule(plan.periodSeconds * 1000, read)
    }
    plan.onReading(now)
  }

  return {
    /** Null when neither is set, or before the first reading. */
    reading: (): KeyFileReading | null => reading,
    /** Reads now and restarts the period; resolves after `onReading`. */
    read,
    stop() {
      stopped = true
      cancelNext()
    },
  }
}

/** Logs a new problem with the key once, and its solution once. */
function tellOfChange(log: Log, before: KeyFileReading | null, now: KeyFileReading | null): void {
  if (now === null) return
  if (now.kind === 'problem') {
    if (before?.kind !== 'problem' || before.reason !== now.reason)
      log.warn('the management key cannot be used', { reason: now.reason }, 'news')
    return
  }
  if (before?.kind === 'problem') log.info('the management key can be used again')
  if (now.readableByOthers && !(before?.kind === 'key' && before.readableByOthers))
    log.warn('the management key file is readable by others')
}
