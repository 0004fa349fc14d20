import { offBecause, type ProviderId, type SourceReading } from '@svc/core'
import { type RememberedPool, withSharedQueries } from '@svc/core/pool'
import { type DirectQuotaTally, type OffReason, type RefreshRun, soleDuty } from '@svc/core/service'
import { asksPlugin } from '../providers/known-providers.ts'
import { noAskedStore } from '../quota/asked-notes.ts'
import type { QueryDeps } from '../quota/query-results.ts'
import { createQuotaRunner } from '../quota/runner.ts'
import { createVendorPace } from '../quota/vendor-pace.ts'
import { createApiCallTransport } from '../transports/api-call.ts'
import { FAILED_LIST } from '../transports/ask-vendor.ts'
import { createAuthFilesTransport } from '../transports/auth-files.ts'
import {
  providerIn,
  type QueriedProvider,
  type QuotaTransport,
  queriedProviders,
  withPlugins,
} from '../transports/quota-transport.ts'
import type { AccountListSource } from './account-list.ts'
import { transportNameOf } from './settings.ts'
import { type SourceListeners, sourceOf } from './source.ts'
import type { LiveSourceDeps, LiveSourceOptions, Management } from './source-options.ts'

export interface QuotaPlan {
  readonly options: LiveSourceOptions
  readonly management: Management
  readonly accountList: Pick<AccountListSource, 'onList' | 'pollAfresh'>
}

/** Refresh while direct queries are off: it queries nothing. */
const QUOTA_OFF: RefreshRun = {
  tally: () => ({ queued: 0, done: 0, failed: 0 }),
  expectedMs: () => 0,
  ended: Promise.resolve('quota_off'),
  cancel() {},
}

/** Transport used when queries are off. Quota from clients and from the list is still taken. */
const noTransport: QuotaTransport = {
  endpointOf: () => 'off',
  ready: () => false,
  refusal: () => null,
  canQuery: () => false,
  query: () => Promise.reject(new Error('queries are off')),
  queryPlan: () => Promise.resolve(null),
  queryBankedList: () => Promise.resolve(FAILED_LIST),
}

/** Creates the source of every account's quota from the vendor. */
export function createQuotaSource(
  { options, management, accountList }: QuotaPlan,
  deps: LiveSourceDeps & QueryDeps & Pick<SourceListeners, 'onChange'>,
) {
  const { quotaTransport, quotaProbeConcurrency, quotaProbesPerMinute } = options.quota
  const { duty = soleDuty, pace = createVendorPace(deps.clock), asked = noAskedStore } = deps
  const queriedIn = queriedProviders(options.quota.quotaProbeProviders, deps.providers)
  const queriedProvider = providerIn(queriedIn)
  const transport = createTransport(options, management, { ...deps, queriedProvider })
  // A plugin is asked through the proxy alone.
  const areProxied = transportNameOf(options) === 'api-call'
  const offReason: OffReason | null =
    transport !== null ? null : quotaTransport === 'off' ? 'switched_off' : 'no_key'
  const runner = createQuotaRunner(
    {
      transport: {
        ...(transport ?? noTransport),
        ready: () => transport?.ready() === true && duty.isOurs(),
      },
      asked,
      concurrency: quotaProbeConcurrency,
      quotaProbesPerMinute,
      queriedProvider:
        transport === null
          ? () => null
          : areProxied
            ? withPlugins(queriedProvider)
            : queriedProvider,
      pace,
      refreshAccountList: accountList.pollAfresh,
      onChange: () => deps.onChange(),
    },
    deps,
  )
  const ofVendors = queriedIn.map(({ id }) => id)
  let queriedIds: ReadonlySet<ProviderId> = new Set(ofVendors)
  accountList.onList(({ accounts }, quota) => {
    const ofPlugins = areProxied ? accounts.filter(asksPlugin) : []
    queriedIds = new Set([...ofVendors, ...ofPlugins.map(({ provider }) => provider)])
    runner.useAccounts(accounts, quota)
  })
  duty.onTaken(runner.askAgain)
  const byName = (pool: RememberedPool) =>
    new Map(withSharedQueries(pool).accounts.map((one) => [one.account.selector.authName, one]))
  return {
    ...sourceOf('direct_quota', runner),
    /** Providers whose accounts are queried; null while no accounts are queried. */
    queriedProviders: (): ReadonlySet<ProviderId> | null =>
      offReason === null ? queriedIds : null,
    reading(): SourceReading<DirectQuotaTally> {
      if (offReason !== null) return offBecause(offReason)
      return duty.isOurs() ? runner.reading() : offBecause('standby')
    },
    retry: runner.retryNow,
    reload: runner.reload,
    evidence: runner.evidence,
    /** Takes quota from the answers to client requests. */
    usePassive: runner.usePassive,
    /** Queries every account in scope once, soon. */
    refresh: offReason === null ? runner.refresh : () => QUOTA_OFF,
    useAsked: runner.useAsked,
    /** Limits queries to these files, by `fileKeyOf`. */
    askOnly: runner.askOnly,
    handOver: runner.handOver,
    /** Takes an earlier process's readings. */
    restore: (pool: RememberedPool) => runner.restore(byName(pool)),
    /** Takes over the readings of the monitor that queries in our place. */
    adopt(pool: RememberedPool) {
      if (!duty.isOurs()) runner.adopt(byName(pool))
    },
  }
}

export type QuotaSource = ReturnType<typeof createQuotaSource>

/** The configured transport to the vendor; null if queries are off. Throws if options contradict each other. */
function createTransport(
  options: LiveSourceOptions,
  { client, gate }: Management,
  deps: LiveSourceDeps & { readonly queriedProvider: QueriedProvider },
): QuotaTransport | null {
  const { authDir } = options.quota
  const name = transportNameOf(options)
  switch (name) {
    case 'off':
      return null
    case 'api-call':
      return createApiCallTransport(client, gate, deps.queriedProvider)
    case 'auth-files':
      if (authDir === null) throw new Error('the auth-files quota transport needs auth_dir')
      return createAuthFilesTransport(authDir, deps, deps.queriedProvider)
    default:
      return name satisfies never
  }
}
