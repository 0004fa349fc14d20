import type { AskedAccount } from '@svc/core/account'
import { type RememberedPool, withRemembered } from '@svc/core/pool'
import type { QuotaRefresher, RefreshRun, SnapshotSource, SourceChange } from '@svc/core/service'
import { createManagementKeySource } from './files/management-key-source.ts'
import { createOpenFilesWatch } from './files/open-secret-files.ts'
import { createManagementGate } from './proxy/management-access.ts'
import { createUpstreamClient } from './proxy/upstream-client.ts'
import { createSources, observe } from './sources/all-sources.ts'
import type { QuotaSource } from './sources/quota.ts'
import type { LiveSourceDeps, LiveSourceOptions, Management } from './sources/source-options.ts'

/** Watches a running proxy. */
export interface LiveSource extends SnapshotSource {
  /** Reads key, client labels and benchmark summary again and ends every hold, like a restart. */
  reload(): void
  readonly refresher: QuotaRefresher
  /** Starts with an earlier process's readings; readings of this process take precedence. */
  restore(remembered: RememberedPool): void
  /** Takes over the readings of the monitor that queries in our place. */
  adopt(pool: RememberedPool): void
  /** Takes the last queries of earlier processes and other monitors through any proxy. */
  useAsked(asked: readonly AskedAccount[]): void
  /** Limits vendor queries to these files, by `fileKeyOf`; other accounts are only listed. */
  readonly askOnly: QuotaSource['askOnly']
  readonly handOver: QuotaSource['handOver']
}

/** Creates an idle live source. Throws only if options contradict each other; whatever the proxy does becomes part of the observation. */
export function createLiveSource(options: LiveSourceOptions, deps: LiveSourceDeps): LiveSource {
  const { upstream } = options
  const { upstreamTimeoutSeconds: timeoutSeconds } = upstream
  let onChange: (change?: SourceChange) => void = () => {}
  let remembered: RememberedPool | null = null
  /** True until the stored last queries are first taken over. */
  let isFirst = true
  const client = createUpstreamClient(upstream.upstreamUrl, deps)
  const gate = createManagementGate(deps.clock)
  const management: Management = { client, gate, timeoutSeconds }
  const sources = createSources(options, management, {
    ...deps,
    onChange: (change) => onChange(change),
  })
  const { accounts, direct_quota: quota, gateway } = sources
  const all = Object.values(sources)

  const retryAll = () => {
    for (const source of all) source.retry()
  }
  gate.onAccepted(retryAll)
  gateway.onReturn(() => {
    // A restarted proxy may have another key, and has forgotten its refusals.
    if (gate.heldForMs() === 0 || gate.tryRefusedKey()) retryAll()
  })

  /**
   * Lists the accounts with the new key, even if an attempt with an earlier key is under way. An unusable key is tried too, so that the observation
   * names the reason.
   */
  const proveKey = async () => {
    const listed = accounts.pollAfresh()
    retryAll()
    await listed
  }
  const keySource = createManagementKeySource(
    {
      fromEnvironment: upstream.managementKey,
      path: upstream.managementKeyFile,
      periodSeconds: upstream.refreshSeconds,
      onReading(reading) {
        if (gate.useKey(reading)) void proveKey()
      },
    },
    deps,
  )
  const openFiles = createOpenFilesWatch(secretFilesOf(options), deps)

  return {
    start(changed) {
      onChange = changed
      for (const source of all) source.start()
      openFiles.start(() => onChange())
      void keySource.read()
    },
    reload() {
      void keySource.read().then(() => {
        gate.endHold()
        for (const source of all) source.reload()
      })
    },
    // Without a usable key there is no refresh, and a refused key is tried again first: somebody may have corrected it in the proxy.
    refresher: {
      available: () => !['no_key', 'unreadable_key'].includes(gate.access().kind),
      isManagementKey: gate.isKey,
      begin: (target) =>
        target.scope === 'default' && gate.tryRefusedKey()
          ? runAfter(proveKey(), () => quota.refresh(target))
          : quota.refresh(target),
    },
    askOnly: quota.askOnly,
    handOver: quota.handOver,
    adopt(pool) {
      quota.adopt(pool)
      if (deps.duty?.isOurs() === false) accounts.restore(pool)
    },
    useAsked(asked) {
      quota.useAsked(asked)
      accounts.useAsked(asked)
      // As in `restore`, but for a pool of which nothing else is known.
      if (isFirst && accounts.reading().lastGood !== null) void accounts.pollAfresh()
      isFirst = false
    },
    restore(pool) {
      remembered = pool
      quota.restore(pool)
      accounts.restore(pool)
      // A list read before the store was opened lacks what the store knows.
      if (accounts.reading().lastGood !== null) void accounts.pollAfresh()
      onChange()
    },
    latest() {
      const key = keySource.reading()
      const isKeyOpen = key?.kind === 'key' && key.readableByOthers
      const observation = observe(management, sources, {
        upstream,
        openSecretFiles: [...(isKeyOpen ? (['management_key'] as const) : []), ...openFiles.open()],
      })
      // Until the first list was read, the accounts an earlier process knew are shown.
      return observation.sources.accounts.lastGood === null && remembered !== null
        ? withRemembered(observation, remembered)
        : observation
    },
    async stop() {
      keySource.stop()
      openFiles.stop()
      await Promise.all(all.map((source) => source.stop()))
    },
  }
}

/** Files checked for readability by others; the auth files only if the transport reads them. */
function secretFilesOf({ usage, quota: { quotaTransport, authDir } }: LiveSourceOptions) {
  const { clientLabelsFile } = usage
  return { clientLabelsFile, authDir: quotaTransport === 'auth-files' ? authDir : null }
}

/** A run that begins when `ready` resolves; if cancelled before, it never begins. `ready` must not reject. */
export function runAfter(ready: Promise<unknown>, begin: () => RefreshRun): RefreshRun {
  let run: RefreshRun | null = null
  let isCancelled = false
  return {
    tally: () => run?.tally() ?? { queued: 0, done: 0, failed: 0 },
    expectedMs: () => run?.expectedMs() ?? null,
    ended: ready.then(() => {
      if (isCancelled) return 'cancelled'
      run = begin()
      return run.ended
    }),
    cancel() {
      isCancelled = true
      run?.cancel()
    },
  }
}
