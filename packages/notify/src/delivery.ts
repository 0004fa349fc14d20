import type { FailedAttempt, NotifyFailure, NotifyTarget } from '@svc/core/notify'
import { type Clock, type KeyFileProblem, retryAfterSecondsOf } from '@svc/core/service'
import { readSecretLine } from '@svc/secret-files'
import { failedWith, type Kind, type WordedMessage } from './kinds/kind.ts'
import { knownKinds } from './kinds/known-kinds.ts'

/** Resolves like the promise. Rejects after this time or when stopped, regardless of the promise. */
export async function within<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
  stop?: AbortSignal,
): Promise<Value> {
  let end = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    end = () => reject(new Error('too late'))
  })
  const cancel = clock.schedule(ms, end)
  stop?.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([promise, late])
  } finally {
    cancel()
    stop?.removeEventListener('abort', end)
  }
}

interface DeliveryDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
}

/** Texts of messages, except those of notices. */
export interface NotifyWords {
  /** Heading such as `svc-quota-monitor: 2 problems`. */
  readonly heading: (firing: number, resolved: number) => string
  readonly resolved: string
  /** Text such as `3 times since`. */
  readonly times: (count: number) => string
  readonly omitted: (count: number) => string
  readonly test: string
}

type Receiver = Pick<NotifyTarget, 'name' | 'kind' | 'urlFile'>

/** Time limit for headers and body together. See docs/limits.md#messages. */
const DEADLINE_MS = 10_000
/** Maximum number of bytes of an answer that are read. */
const ANSWER_BYTES_MAX = 8_192

/** Sends one message; resolves with null once the receiver has accepted it. Never rejects, and reveals no part of the address or the answer. */
export async function deliver(
  target: Receiver,
  message: WordedMessage,
  { clock, fetch }: DeliveryDeps,
  stop: AbortSignal,
): Promise<FailedAttempt | null> {
  const read = await addressIn(target)
  if (read.kind === 'problem')
    return failedWith(read.reason === 'bad_address' ? 'bad_address' : 'address_unreadable')
  const kind = knownKinds[target.kind]
  const done = new AbortController()
  const { url, json } = kind.post(message, read.address)
  const request = requestOf(url, json, done.signal)
  try {
    return await within(
      clock,
      DEADLINE_MS,
      outcomeOf(kind, () => fetch(...request), clock),
      stop,
    )
  } catch {
    return failedWith('timeout')
  } finally {
    // Ends the attempt, or what is left of an answer that was read in part.
    done.abort()
  }
}

/** Sends a test message to a target. Never rejects, and does not change the target's memory. */
export async function sendTest(
  target: NotifyTarget,
  words: Pick<NotifyWords, 'test'>,
  deps: DeliveryDeps,
): Promise<'sent' | NotifyFailure> {
  const at = deps.clock.now()
  const about = { id: 'test', topic: 'action', code: 'test', tone: 'warn', count: 1 } as const
  const texts = { title: words.test, summary: words.test }
  const notices = [{ ...about, ...texts, startsAt: at, endsAt: null, times: 1 }]
  const message = { id: 'test', at, notices, omittedCount: 0 }
  const shown = { title: 'svc-quota-monitor', text: words.test, isUrgent: false }
  const sent = { message, receiver: target.name, ...shown }
  const failed = await deliver(target, sent, deps, new AbortController().signal)
  return failed === null ? 'sent' : failed.code
}

/** Checks whether the address of a target can be read and is one of its kind. Sends nothing. `readableByOthers` is a warning. */
export async function checkAddress(
  target: Receiver,
): Promise<
  | { readonly kind: 'ok'; readonly readableByOthers: boolean }
  | { readonly kind: 'problem'; readonly reason: KeyFileProblem | 'bad_address' }
> {
  const read = await addressIn(target)
  return read.kind === 'ok' ? { kind: 'ok', readableByOthers: read.readableByOthers } : read
}

async function addressIn({ kind, urlFile }: Receiver) {
  const reading = await readSecretLine(urlFile)
  if (reading.kind === 'problem') return reading
  const address = addressOf(reading.text.trim())
  if (address === null || knownKinds[kind].accepts?.(address) === false)
    return { kind: 'problem' as const, reason: 'bad_address' as const }
  return { kind: 'ok' as const, address, readableByOthers: reading.readableByOthers }
}

function addressOf(text: string): URL | null {
  try {
    const address = new URL(text)
    decodeURIComponent(address.username + address.password)
    // A parser leaves out what breaks lines, and would make one address of two.
    return /^https?:/.test(address.protocol) && !/\s/.test(text) ? address : null
  } catch {
    return null
  }
}

/** Arguments of `fetch`. A login in the address is moved into a header, because `fetch` rejects an address with a login. */
function requestOf(address: URL, json: object, signal: AbortSignal): Parameters<typeof fetch> {
  const url = new URL(address)
  const login = [url.username, url.password].map(decodeURIComponent).join(':')
  url.username = ''
  url.password = ''
  url.hash = ''
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'svc-quota-monitor',
  }
  if (login !== ':') headers.authorization = `Basic ${Buffer.from(login).toString('base64')}`
  return [url, { method: 'POST', headers, body: JSON.stringify(json), redirect: 'manual', signal }]
}

async function outcomeOf(
  kind: Kind,
  send: () => Promise<Response>,
  clock: Clock,
): Promise<FailedAttempt | null> {
  try {
    const response = await send()
    const { status, type, headers } = response
    if (type === 'opaqueredirect' || (status >= 300 && status < 400))
      return failedWith('redirected')
    const told = kind.failureIn?.(await answerIn(response)) ?? null
    if (told === null && status < 300) return null
    const asked = retryAfterSecondsOf(headers, clock.now())
    const { code, retryAfterSeconds } = told ?? failedWith(codeOf(status))
    return { code, retryAfterSeconds: retryAfterSeconds ?? asked }
  } catch (error) {
    return failedWith(isOfTls(error) ? 'tls' : 'unreachable')
  }
}

function codeOf(status: number): NotifyFailure {
  if (status === 429) return 'throttled'
  if (status === 408) return 'timeout'
  return status >= 500 ? 'unavailable' : 'refused'
}

/** The answer as a JSON object; an empty one if it is anything else or too long. */
async function answerIn({ body }: Response): Promise<Readonly<Record<string, unknown>>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    parts.push(part)
    size += part.length
    if (size > ANSWER_BYTES_MAX) return {}
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Whether the connection or its certificate failed, by the TLS error codes of Node. */
function isOfTls(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|SELF_SIGNED|^(?:ERR_TLS|ERR_SSL|UNABLE_TO_|HOSTNAME_|EPROTO$)/.test(code)) return true
  return error instanceof Error && error.cause !== undefined && isOfTls(error.cause)
}
