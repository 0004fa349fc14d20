import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultPolicy, evaluateAccount, percentOf, plusMs } from '@svc/core'
import type { LogFields } from '@svc/core/service'
import { virtualClock } from '@svc/core/testing'
import { aFakeAccount, createFakeUpstream, type FakeAccount, fetchOf } from '@svc/fake-proxy'
import { createLiveSource, type LiveSource } from '../live-source.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { type ChangedOptions, liveSourceOptions, reportInto } from './live-source-options.ts'

/** The key of the fake proxy. */
export const KEY = 'canary-management-key'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** Node's names for pending file-system requests. */
const OF_FILES = /^(?:FSReq|CloseReq)/

/** Virtual time stands still while a file is read: on a busy machine a read outlasts any number of event-loop turns. */
async function settle(): Promise<void> {
  do {
    for (let turns = 0; turns < 6; turns += 1)
      await new Promise<void>((resolve) => setImmediate(resolve))
  } while (process.getActiveResourcesInfo().some((name) => OF_FILES.test(name)))
}

const running: LiveSource[] = []
const folders: string[] = []

/** Stops every live source and removes every folder created here. */
export async function endWorlds(): Promise<void> {
  for (const source of running.splice(0)) await source.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
}

export interface WorldShape {
  readonly accounts?: readonly FakeAccount[]
  readonly options?: ChangedOptions
  /** The proxy's clock minus ours. */
  readonly skewMs?: number
  /** Sink for usage; usage is kept only if this is set. */
  readonly sink?: UsageSink
}

/** A live source in front of a fake proxy, in virtual time. */
export function aWorld({
  accounts = [aFakeAccount({ name: 'alice' })],
  options = {},
  skewMs = 0,
  sink,
}: WorldShape = {}) {
  const clock = virtualClock(settle)
  const fake = createFakeUpstream({
    now: () => plusMs(clock.now(), skewMs),
    managementKey: KEY,
    accounts,
    sleep: (milliseconds) => new Promise((resolve) => void clock.schedule(milliseconds, resolve)),
  })
  const lines: {
    readonly level: string
    readonly event: string
    readonly fields: LogFields | undefined
  }[] = []
  const line = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ level, event, fields })
  const reports: string[] = []
  let changes = 0
  const source = createLiveSource(liveSourceOptions(KEY, options), {
    clock,
    fetch: fetchOf(fake),
    random: () => 0.5,
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    usageSink: sink ?? null,
    report: reportInto(reports),
  })
  running.push(source)
  source.start(() => {
    changes += 1
  })
  const latest = () => source.latest(clock.now())
  return {
    clock,
    fake,
    source,
    lines,
    reports,
    latest,
    changeCount: () => changes,
    evidenceOf: (account: FakeAccount) => latest().evidenceByAuthName.get(account.fileName),
    listedAt: () => latest().sources.accounts.lastGood?.at,
    callsOf: (account: FakeAccount) =>
      fake.vendorCalls.filter((call) => call.token === account.token).length,
  }
}

export type World = ReturnType<typeof aWorld>

/** Number of requests sent with a key. */
export const managementRequests = (world: World) =>
  world.fake.requests.filter(
    // A v7 proxy answers the question for v8 without a check of the key.
    ({ route, path }) => route !== 'healthz' && !path.startsWith('/v8/'),
  ).length

/** A separate file that only its owner can read. */
export function aSecretFile(content: string): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'collector-'))
  folders.push(folder)
  const path = join(folder, 'key')
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

/** An account as the rules see it now. Throws if the proxy does not list it. */
export function evaluatedIn(world: World, file: FakeAccount) {
  const { sources, evidenceByAuthName } = world.latest()
  const account = sources.accounts.lastGood?.value.accounts.find(
    ({ selector }) => selector.authName === file.fileName,
  )
  if (account === undefined) throw new Error(`${file.fileName} is not listed`)
  const evidence = evidenceByAuthName.get(file.fileName) ?? null
  return evaluateAccount(account, evidence, defaultPolicy, world.clock.now())
}

/** Percents left of all windows of an account; null if unknown. */
export function percentsIn(
  world: World,
  file: FakeAccount,
): Readonly<Record<string, number | null>> {
  const { windows, scopedWindows } = evaluatedIn(world, file)
  return Object.fromEntries(
    [...windows, ...scopedWindows].map((window) => [window.id, percentOf(window)]),
  )
}
