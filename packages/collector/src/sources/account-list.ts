import type { AccountEvidence, AccountList, EpochMs } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import type { RememberedPool } from '@svc/core/pool'
import type { UpstreamName } from '@svc/core/service'
import type { PassiveQuota } from '@svc/core/usage'
import { createAccountTracker } from '../accounts/account-tracker.ts'
import { accountListOf } from '../accounts/auth-files.ts'
import { createLoginAliases, type LoginAliases } from '../accounts/login-aliases.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import { livelyBackoffSecondsMax } from '../polling/polled-source.ts'
import type { MissingRequestsWatch } from '../usage/missing-requests.ts'
import type { UsageSuccesses } from '../usage/usage-successes.ts'
import { createSourcePoll, keyedSourceOf, type SourceListeners } from './source.ts'
import { callManagement, type Management } from './source-options.ts'

/** Receives a new list, and the quota that newer proxies show in it. */
export type ListListener = (list: AccountList, quota: readonly PassiveQuota[]) => void

/** Maximum number of bytes of an account list. */
const BYTES_MAX = 64 * 1024 * 1024

export interface AccountListPlan {
  readonly upstream: UpstreamName
  readonly management: Management
  readonly periodSeconds: number
  /** Evidence of the quota, by `fileKeyOf`. */
  readonly evidence: () => ReadonlyMap<string, AccountEvidence>
  readonly successes: UsageSuccesses
  readonly missing: MissingRequestsWatch
}

/** Creates the source of the proxy's accounts. */
export function createAccountListSource(
  { upstream, management, periodSeconds, evidence, successes, missing }: AccountListPlan,
  deps: SourceListeners & { readonly report: CollectorReport; readonly aliases?: LoginAliases },
) {
  const { client, gate } = management
  const { aliases = createLoginAliases() } = deps
  const tracker = createAccountTracker(aliases)
  const listeners: ListListener[] = []
  let listedQuota: readonly PassiveQuota[] = []
  let restartedAt: EpochMs | null = null

  const compareCounters = ({ requestCounters }: AccountList) => {
    if (requestCounters !== null) missing.listed(requestCounters.success + requestCounters.failed)
    if (requestCounters !== null && requestCounters.restartedAt !== restartedAt)
      missing.explain(null)
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
          client.get('accounts', call),
        )
        const { clockSkewSeconds } = client.facts()
        const { quota, ...list } = accountListOf(answer, clockSkewSeconds, tracker, {
          upstream,
          evidence: evidence(),
        })
        listedQuota = quota
        return successes.appliedTo(list)
      },
      heldForMs: gate.heldForMs,
      onSettled(settled) {
        deps.report.count({ counter: 'refresh_total', result: settled.kind })
        if (settled.kind === 'ok') deps.report.timeListRead(settled.seconds)
        const list = poll.reading().lastGood?.value
        if (settled.kind !== 'ok' || list === undefined) return
        compareCounters(list)
        for (const listener of listeners) listener(list, listedQuota)
        listedQuota = []
      },
    },
    deps,
  )

  return {
    ...keyedSourceOf('accounts', poll),
    /** Reads again after any attempt under way; true if the new attempt gave a list. */
    pollAfresh: poll.pollAfresh,
    /** Calls `listener` with every new list, before the change is reported; listeners are called in the order they were added. */
    onList: (listener: ListListener) => void listeners.push(listener),
    /** Takes the refusals that were stored with the last queries. */
    useAsked: (asked: readonly AskedAccount[]) =>
      tracker.useAsked(asked.filter((one) => one.upstream === upstream)),
    /** Takes the accounts an earlier process knew. */
    restore({ accounts, logins = [] }: RememberedPool) {
      aliases.restore(logins)
      tracker.restore(new Map(accounts.map((one) => [one.account.selector.authName, one])))
    },
  }
}

export type AccountListSource = ReturnType<typeof createAccountListSource>
