import type { ReadingOrigin } from '../facts/reading.ts'
import { type EpochMs, MINUTE_MS } from '../facts/time.ts'
import { type AccountPick, type Pickable, type PickRequest, pickAccount } from './pick.ts'

/** Pattern of the name of a caller. */
export const CALLER_NAME = /^[A-Za-z0-9._-]{1,64}$/

// See docs/limits.md#what-a-client-may-take-up.
/** Time for which a caller is remembered after its last pick, and keeps its account while callers outnumber good accounts. */
const REMEMBERED_MS = 15 * MINUTE_MS
const CALLERS_MAX = 1_000
/** Failed accounts remembered of one caller; the oldest is forgotten first. */
const FAILURES_MAX = 100
/** Minimum time for which a caller does not get an account that failed. */
const AVOIDED_MS_MIN = MINUTE_MS
/** Number of callers that must fail on one account within `FAILING_WITHIN_MS` for its quota to be queried. */
const FAILING_CALLERS = 3
const FAILING_WITHIN_MS = 5 * MINUTE_MS

/** Account fields that picks and the memory of callers read; `EvaluatedAccount` has all of them. */
interface ReadAccount extends Pickable {
  readonly lastSample: { readonly at: EpochMs; readonly origin: ReadingOrigin } | null
  /** Null if no reading is planned. */
  readonly sampleEverySeconds: number | null
}

interface Failure {
  readonly atMs: number
  /** Time of the account's last reading before the failure; null without one. */
  readonly readAt: EpochMs | null
}

interface Caller {
  readonly pickedAtMs: number
  /** Account last given to the caller; null before the first. `usesSinceMs`: time since which the caller has it. */
  readonly uses: string | null
  readonly usesSinceMs: number
  /** By `authName`, oldest first. */
  readonly failures: ReadonlyMap<string, Failure>
}

/** Callers of the last 15 minutes by name, the latest one last. */
export type Callers = ReadonlyMap<string, Caller>

export const noCallers: Callers = new Map()

/** Request of a remembered caller. An omitted `keep` is the caller's last account; accounts that failed it are avoided. */
export interface CallerRequest extends Omit<PickRequest, 'otherUsers'> {
  /** Matches `CALLER_NAME`. */
  readonly as: string
  readonly failed?: string | undefined
}

interface CallerPick<Account> {
  readonly pick: AccountPick<Account>
  readonly callers: Callers
  /** Account to query now because several callers failed on it; null for none. */
  readonly queryDue: Account | null
}

/** Picks an account for the caller and updates the callers. `nowMs` is monotonic. See docs/rules.md#picking. */
export function pickForCaller<Account extends ReadAccount>(
  pool: readonly Account[],
  { as, failed, ...request }: CallerRequest,
  before: Callers,
  nowMs: number,
): CallerPick<Account> {
  const callers = new Map(
    [...before].filter(([, { pickedAtMs }]) => nowMs - pickedAtMs < REMEMBERED_MS),
  )
  const known = callers.get(as)
  callers.delete(as)
  const { failures, queryDue } = failuresAfter(pool, known?.failures, failed, { callers, nowMs })
  const keep = request.keep ?? known?.uses ?? null
  const pick = pickAccount(pool, {
    ...request,
    keep,
    stays: keep === known?.uses && nowMs - known.usesSinceMs < REMEMBERED_MS,
    avoid: [...(request.avoid ?? []), ...failures.keys()],
    otherUsers: usersIn(callers),
  })
  const given = 'item' in pick ? pick.item.selector.authName : null
  const uses = given ?? known?.uses ?? null
  const usesSinceMs = known !== undefined && uses === known.uses ? known.usesSinceMs : nowMs
  callers.set(as, { pickedAtMs: nowMs, uses, usesSinceMs, failures })
  return { pick, callers: newest(callers, CALLERS_MAX), queryDue }
}

/** Forgets a caller that no longer needs its account. */
export function releaseCaller(before: Callers, as: string): Callers {
  return new Map([...before].filter(([name]) => name !== as))
}

/** Failures of a caller that still count, including the one just reported; ignores accounts that are not in `pool`. */
function failuresAfter<Account extends ReadAccount>(
  pool: readonly Account[],
  before: Caller['failures'] = new Map(),
  failed: string | undefined,
  { callers, nowMs }: { readonly callers: Callers; readonly nowMs: number },
): Pick<Caller, 'failures'> & Pick<CallerPick<Account>, 'queryDue'> {
  const named = (authName: string | undefined) =>
    pool.find(({ selector }) => selector.authName === authName)
  const failures = new Map(
    [...before].filter(([authName, failure]) => {
      const account = named(authName)
      return account !== undefined && isAvoided(account, failure, nowMs)
    }),
  )
  const account = named(failed)
  if (account === undefined) return { failures, queryDue: null }
  const { authName } = account.selector
  const counts = (failure: Failure | undefined) =>
    failure !== undefined &&
    nowMs - failure.atMs < FAILING_WITHIN_MS &&
    !isReadSince(account, failure)
  const wasCounted = counts(failures.get(authName))
  const otherCount = [...callers.values()].filter((caller) =>
    counts(caller.failures.get(authName)),
  ).length
  failures.delete(authName)
  failures.set(authName, { atMs: nowMs, readAt: account.lastSample?.at ?? null })
  return {
    failures: newest(failures, FAILURES_MAX),
    // Of more callers every third one asks again, since a query may have failed.
    queryDue: !wasCounted && (otherCount + 1) % FAILING_CALLERS === 0 ? account : null,
  }
}

/**
 * Whether a caller must not get this account: for a minute at least, and until its next reading. Without scheduled readings, the failure also expires
 * after 15 minutes.
 */
function isAvoided(account: ReadAccount, failure: Failure, nowMs: number): boolean {
  const sinceMs = nowMs - failure.atMs
  if (sinceMs < AVOIDED_MS_MIN) return true
  if (isReadSince(account, failure)) return false
  return account.sampleEverySeconds !== null || sinceMs < REMEMBERED_MS
}

function isReadSince({ lastSample }: ReadAccount, { readAt }: Failure): boolean {
  return lastSample !== null && (readAt === null || lastSample.at > readAt)
}

function usersIn(callers: Callers): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { uses } of callers.values())
    if (uses !== null) counts.set(uses, (counts.get(uses) ?? 0) + 1)
  return counts
}

function newest<Value>(
  entries: ReadonlyMap<string, Value>,
  count: number,
): ReadonlyMap<string, Value> {
  return entries.size <= count ? entries : new Map([...entries].slice(-count))
}
