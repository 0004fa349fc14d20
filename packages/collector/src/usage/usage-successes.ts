import type { Account, AccountList, EpochMs } from '@svc/core'
import { verdictAfter } from '@svc/core/account'
import type { Verdict } from '@svc/core/service'
import { type AccountActivity, laterOf } from '@svc/core/usage'
import { onOurClock } from '../proxy/upstream-client.ts'

/** Time at which a request last proved that an auth file works, and the verdict of its last refusal. Each is null if there was none. */
interface FileUsage {
  readonly provenAt: EpochMs | null
  readonly verdict: Verdict | null
}

export type UsageSuccesses = ReturnType<typeof createUsageSuccesses>

/** Last successes and refusals of accounts according to usage records, which are earlier and more exact than the account list. */
export function createUsageSuccesses() {
  const lastByKey = new Map<string, EpochMs>()
  const usageByFile = new Map<string, FileUsage>()
  return {
    note(activity: readonly AccountActivity[]) {
      for (const { accountKey, authIndex, lastSuccessAt, refusal } of activity) {
        if (lastSuccessAt !== null && lastSuccessAt > (lastByKey.get(accountKey) ?? 0))
          lastByKey.set(accountKey, lastSuccessAt)
        const file = fileOf(accountKey, authIndex)
        const known = usageByFile.get(file)
        const provenAt = laterOf(known?.provenAt ?? null, lastSuccessAt)
        const refused: Verdict | null =
          refusal === null ? null : { origin: 'record', ...refusal, retryAt: null, inARow: 1 }
        const verdict = verdictAfter(known?.verdict ?? null, refused, provenAt)
        usageByFile.set(file, { provenAt, verdict })
      }
    },
    /** Adds successes and refusals that the list does not yet show. */
    appliedTo(list: AccountList) {
      if (usageByFile.size === 0 && lastByKey.size === 0) return list
      const accounts = list.accounts.map((account) => {
        const { accountKey, authIndex } = account.selector
        const last = lastByKey.get(accountKey) ?? null
        return withUsage(account, last, usageByFile.get(fileOf(accountKey, authIndex)))
      })
      // Forgets accounts and files that are no longer listed.
      const listed = new Set(accounts.map(({ selector }) => selector.accountKey))
      for (const key of lastByKey.keys()) if (!listed.has(key)) lastByKey.delete(key)
      const files = new Set(
        accounts.map(({ selector }) => fileOf(selector.accountKey, selector.authIndex)),
      )
      for (const file of usageByFile.keys()) if (!files.has(file)) usageByFile.delete(file)
      return { ...list, accounts }
    },
  }
}

function fileOf(accountKey: string, authIndex: string): string {
  return `${accountKey}|${authIndex}`
}

/**
 * Adds an account's usage. A request with any of its files starts the account's windows; a file's login and quota are proven only by requests with
 * that file.
 */
function withUsage(
  account: Account,
  lastSuccessAt: EpochMs | null,
  usage: FileUsage | undefined,
): Account {
  const isNewer = lastSuccessAt !== null && lastSuccessAt > (account.lastSuccessAt ?? 0)
  if (!isNewer && usage === undefined) return account
  const provenAt = laterOf(account.provenAt ?? null, usage?.provenAt ?? null)
  return {
    ...account,
    ...(isNewer && { lastSuccessAt }),
    provenAt,
    verdict: verdictAfter(account.verdict ?? null, usage?.verdict ?? null, provenAt),
  }
}

/** The activity with its times on our clock. */
export function onOurTime(
  { lastSuccessAt, samples, refusal, ...file }: AccountActivity,
  clockSkewSeconds: number | null,
): AccountActivity {
  const onOurs = (at: EpochMs) => onOurClock(at, clockSkewSeconds)
  return {
    ...file,
    lastSuccessAt: lastSuccessAt === null ? null : onOurs(lastSuccessAt),
    samples: samples.map((sample) => ({ ...sample, sampledAt: onOurs(sample.sampledAt) })),
    refusal: refusal === null ? null : { ...refusal, at: onOurs(refusal.at) },
  }
}
