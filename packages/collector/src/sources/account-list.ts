import type { AccountList, EpochMs } from '@svc/core'
import type { RememberedPool, UpstreamName } from '@svc/core/service'
import { createAccountTracker } from '../accounts/account-tracker.ts'
import { accountListOf } from '../accounts/auth-files.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { MissingRequestsWatch } from '../usage/missing-requests.ts'
import type { UsageSuccesses } from '../usage/usage-successes.ts'
import { callManagement, livelyBackoffSecondsMax, type Management } from './management.ts'
import {
  createSourcePoll,
  retryIfFailed,
  type Source,
  type SourceListeners,
  sourceOf,
} from './source.ts'

export interface AccountListSource extends Source<AccountList> {
  /** Reads once more after any attempt under way; true when that brought a list. */
  pollAfresh(): Promise<boolean>
  /** Calls `listener` with every new list, before the change is passed on; listeners hear in the order they came. */
  onList(listener: (list: AccountList) => void): void
  /** Knows what an earlier process knew of the accounts. */
  restore(pool: RememberedPool): void
}

/** A larger answer is not an account list. */
const BYTES_MAX = 64 * 1024 * 1024

export interface AccountListPlan {
  readonly upstream: UpstreamName
  readonly management: Management
  readonly periodSeconds: number
  readonly successes: UsageSuccesses
  readonly missing: MissingRequestsWatch
}

/** The accounts of the proxy. */
export function createAccountListSource(
  { upstream, management, periodSeconds, successes, missing }: AccountListPlan,
  deps: SourceListeners & { readonly report: CollectorReport },
): AccountListSource {
  const { client, gate } = management
  const tracker = createAccountTracker()
  const listeners: ((list: AccountList) => void)[] = []
  let restartedAt: EpochMs | null = null

  const compareCounters = ({ requestCounters }: AccountList) => {
    if (requestCounters !== null) missing.listed(requestCounters.success + requestCounters.failed)
    if (requestCounters !== null && requestCounters.restartedAt !== restartedAt) missing.explain()
    restartedAt = requestCounters?.restartedAt ?? null
  }

  const poll = createSourcePoll<AccountList>(
    {
      id: 'accounts',
      endpoint: 'auth-files',
      periodSeconds,
      backoffSecondsMax: livelyBackoffSecondsMax(periodSeconds),
      async poll(stop) {
        missing.listBegins()
        const answer = await callManagement(management, { stop, bytesMax: BYTES_MAX }, (call) =>
          client.get('auth-files', call),
        )
        const { clockSkewSeconds } = client.facts()
        return successes.appliedTo(accountListOf(answer, clockSkewSeconds, tracker, upstream))
      },
      heldForMs: gate.heldForMs,
      onSettled(settled) {
        deps.report.count({ counter: 'refresh_total', result: settled.kind })
        if (settled.kind === 'ok') deps.report.timeListRead(settled.seconds)
        const list = poll.reading().lastGood?.value
        if (settled.kind !== 'ok' || list === undefined) return
        compareCounters(list)
        for (const listener of listeners) listener(list)
      },
    },
    deps,
  )

  return {
    ...sourceOf('accounts', poll),
    retry: () => retryIfFailed(poll),
    pollAfresh: poll.pollAfresh,
    onList: (listener) => void listeners.push(listener),
    restore({ accounts }) {
      tracker.restore(new Map(accounts.map((one) => [one.account.selector.authName, one])))
      successes.note(
        accounts.map(({ account }) => ({
          accountKey: account.selector.accountKey,
          lastSuccessAt: account.lastSuccessAt,
          sample: null,
        })),
      )
    },
  }
}
