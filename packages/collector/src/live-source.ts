import type { ProxyObservation } from '@svc/core'
import {
  type Conduct,
  type QuotaRefresher,
  type RememberedPool,
  type SecretFile,
  type SnapshotSource,
  type SourceChange,
  withRemembered,
} from '@svc/core/service'
import { createOpenFilesWatch } from './files/open-secret-files.ts'
import { createManagementGate, type ManagementGate } from './proxy/management-access.ts'
import { createUpstreamClient } from './proxy/upstream-client.ts'
import { runAfter } from './run-after.ts'
import { createSources, type Sources } from './sources/all-sources.ts'
import type { Management } from './sources/management.ts'
import { createKeyOfGate } from './sources/management-key.ts'
import { observe } from './sources/observe.ts'
import type { LiveSourceDeps, LiveSourceOptions } from './sources/source-options.ts'

/** Watches a running proxy. */
export interface LiveSource extends SnapshotSource {
  /** Reads key, client labels and benchmark summary again and ends every hold, as a restart would. */
  reload(): void
  readonly refresher: QuotaRefresher
  /** Begins with what an earlier process knew; what this one has read goes before it. */
  restore(remembered: RememberedPool): void
  /** Knows what another monitor has read, where that one asks. */
  adopt(pool: RememberedPool): void
  /** Asks the vendor about these files alone from now on, by `fileKeyOf`: other proxies list the rest too. */
  askOnly(files: ReadonlySet<string>): void
}

/** Makes a live source at rest. It throws only when the options contradict each other; whatever the proxy does becomes part of the observation. */
export function createLiveSource(options: LiveSourceOptions, deps: LiveSourceDeps): LiveSource {
  const { upstream } = options
  const { refreshSeconds: accountRefreshSeconds, upstreamTimeoutSeconds: timeoutSeconds } = upstream
  let onChange: (change?: SourceChange) => void = () => {}
  let remembered: RememberedPool | null = null
  const client = createUpstreamClient(upstream.upstreamUrl, deps)
  const gate = createManagementGate(deps.clock)
  const management: Management = { client, gate, timeoutSeconds }
  const sources = createSources(options, management, {
    ...deps,
    onChange: (change) => onChange(change),
  })
  const { accounts, direct_quota: quota, gateway, usage_statistics: statistics } = sources
  const all = Object.values(sources)
  deps.duty?.watch(conductOf(sources))

  gateway.onReturn(() => {
    if (gate.heldForMs() === 0) for (const source of all) source.retry()
  })

  /** Also after an attempt that is under way with an earlier key, and without a usable key, so that the observation says why nothing is read. */
  const pollManagementAfresh = async () => {
    const listed = accounts.pollAfresh()
    void statistics.pollAfresh()
    await listed
  }
  const keySource = createKeyOfGate(upstream, { gate, onNewKey: pollManagementAfresh }, deps)
  const openFiles = createOpenFilesWatch(secretFilesOf(options), deps)

  return {
    start(changed) {
      onChange = changed
      for (const source of all) source.start()
      openFiles.start(() => onChange())
      void keySource.read()
    },
    reload() {
      for (const source of all) source.reload()
      void keySource.read().then(() => {
        gate.endHold()
        void pollManagementAfresh()
      })
    },
    refresher: refresherOf(gate, quota.refresh, pollManagementAfresh),
    askOnly: quota.askOnly,
    adopt(pool) {
      quota.adopt(pool)
      if (deps.duty?.isOurs() === false) accounts.restore(pool)
    },
    restore(pool) {
      remembered = pool
      quota.restore(pool)
      accounts.restore(pool)
      onChange()
    },
    latest() {
      const observation = observe(management, sources, {
        accountRefreshSeconds,
        openSecretFiles: allOpen(keySource.reading(), openFiles.open()),
      })
      return beforeFirstList(observation, remembered)
    },
    async stop() {
      keySource.stop()
      openFiles.stop()
      await Promise.all(all.map((source) => source.stop()))
    },
  }
}

/** A proxy that lists its accounts would hand out usage and pass questions on as well. */
function conductOf({ accounts, usage, direct_quota }: Sources): Conduct {
  return {
    isAble: () => accounts.reading().outcome.kind === 'ok',
    isAtRest: () => usage.isAtRest() && direct_quota.isAtRest(),
  }
}

/** Until the accounts have been listed they are those that an earlier process knew. */
function beforeFirstList(
  observation: ProxyObservation,
  remembered: RememberedPool | null,
): ProxyObservation {
  return observation.sources.accounts.lastGood === null && remembered !== null
    ? withRemembered(observation, remembered)
    : observation
}

/** The files that others can read, with that of the key. */
function allOpen(
  key: ReturnType<ReturnType<typeof createKeyOfGate>['reading']>,
  others: readonly SecretFile[],
): readonly SecretFile[] {
  return key?.kind === 'key' && key.readableByOthers ? ['management_key', ...others] : others
}

/** Where the auth files are not read, nobody looks at them. */
function secretFilesOf({ usage, quota: { quotaTransport, authDir } }: LiveSourceOptions) {
  const { clientLabelsFile } = usage
  return { clientLabelsFile, authDir: quotaTransport === 'auth-files' ? authDir : null }
}

/** What a refresh asks about the key. */
function refresherOf(
  gate: ManagementGate,
  refresh: QuotaRefresher['begin'],
  pollManagementAfresh: () => Promise<void>,
): QuotaRefresher {
  return {
    available() {
      const { kind } = gate.access()
      return kind !== 'no_key' && kind !== 'unreadable_key'
    },
    isManagementKey: gate.isKey,
    begin(target) {
      // Somebody may have set the key of the proxy right.
      return target.scope === 'default' && gate.tryRefusedKey()
        ? runAfter(pollManagementAfresh(), () => refresh(target))
        : refresh(target)
    },
  }
}
