import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import type { Clock } from '@svc/core/service'
import { createFakeUpstream, type FakeAccount, type FakeUpstream } from '@svc/fake-proxy'
import { type ServedFake, serveFake } from '../serve-fake.ts'
import {
  acceleratedClock,
  type ClockPace,
  monotonicNowMs,
  paceArguments,
  testInstant,
} from '../test-instant.ts'
import { top } from '../top.ts'
import {
  freePort,
  ownConnection,
  type ProgramTime,
  program,
  type ServiceFault,
  SIGNAL_OF_FAULT,
  startInstantFlags,
  testTime,
} from './built-program.ts'
import { type NodeProcess, type NodeProcessOptions, spawnNode, startNode } from './node-process.ts'
import { type ServiceHere, startHere } from './service-here.ts'

/** Queries that any running service answers. */
interface Asked {
  json<Body>(path: string): Promise<Body>
  /** Value of one sample of its metrics, labels included; null if it is absent. */
  metric(sample: string): Promise<number | null>
}

/** A fake proxy on the same clock as the service in front of it. */
interface Proxied<Started> {
  readonly fake: FakeUpstream
  readonly served: ServedFake
  /** Ends only the service; the fake goes on. */
  pause(): Promise<void>
  /** Replaces the service with another one in front of the same fake. */
  restart(flags?: Readonly<Record<string, string>>): Promise<Started & Proxied<Started>>
}

export interface LocalService extends ServiceHere, Asked {}

export interface ServiceProcess extends NodeProcess, Asked {
  /** All output so far. */
  output(): string
  /** Triggers a fault; only the paced service supports faults. */
  bring(fault: ServiceFault): void
}

/** A service in this process in front of a fake proxy. */
export type ProxiedService = LocalService & Proxied<LocalService>
/** A service in a process of its own in front of a fake proxy. */
export type ProxiedProcess = ServiceProcess & Proxied<ServiceProcess>

/** Options of the fake proxy that is started for the service. */
interface FakeOptions {
  readonly accounts: readonly FakeAccount[]
  readonly authDir?: string
  /** Changes the fake before the service uses it. */
  readonly prepare?: (fake: FakeUpstream) => void
  /** Wait function of the fake. */
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Proxy address for the service, made from the address of the fake. */
  readonly upstreamUrl?: (fakeUrl: string) => string
}

interface SettingsOptions {
  /** Settings by name; by default with a free port and without a settings file. */
  readonly flags?: Readonly<Record<string, string>>
  /** Management key of the service; by default that of the fake, if there is one. */
  readonly key?: string
}

interface HereOptions extends SettingsOptions {
  readonly where: 'here'
  readonly time: Clock
  readonly demo?: boolean
  /** Contents of the configuration file; no file is read if left out. */
  readonly configText?: string
  /** Function for requests to the fake; uses sockets if left out. */
  readonly fetchOf?: (fake: FakeUpstream) => typeof fetch
  /** Random variation of its rounds; none if left out. */
  readonly random?: () => number
}

interface ProcessOptions extends SettingsOptions {
  readonly env?: NodeProcessOptions['env']
  /** List of processors to run on; any processors if left out. */
  readonly processors?: string
  /** Arguments of Node that come before the program. */
  readonly nodeArgs?: readonly string[]
}

interface PacedOptions extends ProcessOptions {
  /** A separate process, whose clock may run faster and which can be given faults. */
  readonly where: 'child'
  readonly time: ClockPace
  readonly faults?: {
    /** While this file exists, no host name can be resolved; otherwise `upstream.invalid` is this machine. */
    readonly dnsDownFile?: string
  }
}

interface ProgramOptions extends ProcessOptions {
  /** The built program as a user starts it. */
  readonly where: 'program'
  /** Time at the start; the instant of all tests if left out. */
  readonly time?: ProgramTime
  /** Arguments as a user gives them, before those of `flags`. */
  readonly args?: readonly string[]
}

type StartOptions = HereOptions | PacedOptions | ProgramOptions
export type LocalOptions = Omit<HereOptions & FakeOptions, 'where'>

/** The key that opens the fake proxy of every test. */
export const MANAGEMENT_KEY = 'right-management-key-9e41'

/**
 * Starts the service and resolves once it listens: in this process (`here`), in another one on a clock of another pace (`child`) or as the built
 * program (`program`). With `accounts`, a fake proxy on the same clock is started first and the service uses it.
 */
export function startService(options: HereOptions & FakeOptions): Promise<ProxiedService>
export function startService(options: PacedOptions & FakeOptions): Promise<ProxiedProcess>
export function startService(options: HereOptions): Promise<LocalService>
export function startService(options: PacedOptions | ProgramOptions): Promise<ServiceProcess>
export async function startService(
  options: StartOptions | ((HereOptions | PacedOptions) & FakeOptions),
): Promise<LocalService | ServiceProcess> {
  if (!('accounts' in options)) return await startAlone(options, null)
  const time = options.where === 'here' ? options.time : acceleratedClock(options.time)
  const fake = createFakeUpstream({
    now: () => time.now(),
    managementKey: MANAGEMENT_KEY,
    accounts: options.accounts,
    ...(options.authDir === undefined ? {} : { authDir: options.authDir }),
    ...(options.sleep === undefined ? {} : { sleep: options.sleep }),
  })
  options.prepare?.(fake)
  const served = await serveFake(fake, 0)
  return await startInFront(fake, served, options)
}

async function startInFront(
  fake: FakeUpstream,
  served: ServedFake,
  options: (HereOptions | PacedOptions) & FakeOptions,
): Promise<ProxiedService | ProxiedProcess> {
  const flags = {
    'upstream-url': options.upstreamUrl?.(served.url) ?? served.url,
    ...options.flags,
  }
  const service = await startAlone({ key: MANAGEMENT_KEY, ...options, flags }, fake)
  const pause = async () => void (await service.stop())
  const proxied = {
    fake,
    served,
    pause,
    async restart(changed: Readonly<Record<string, string>> = {}) {
      await pause()
      return await startInFront(fake, served, {
        ...options,
        flags: { ...options.flags, ...changed },
      })
    },
    async stop(signal?: NodeJS.Signals) {
      const code = await service.stop(signal)
      await served.close()
      return code
    },
  }
  // The members of a service stay those of its place.
  return { ...service, ...proxied } as ProxiedService | ProxiedProcess
}

async function startAlone(
  options: StartOptions,
  fake: FakeUpstream | null,
): Promise<LocalService | ServiceProcess> {
  if (options.where !== 'here') return await startProcess(options)
  const { where, fetchOf, ...given } = options
  const service = await startHere({
    flags: {},
    key: null,
    demo: false,
    ...given,
    fetch: fake === null ? globalThis.fetch : (fetchOf?.(fake) ?? globalThis.fetch),
  })
  return { ...service, ...askedAt(service.url) }
}

async function startProcess(options: PacedOptions | ProgramOptions): Promise<ServiceProcess> {
  const started = await startNode(
    options.where === 'program'
      ? programCommand(options)
      : pacedCommand({
          ...options,
          flags: { port: String(await freePort()), ...options.flags },
        }),
    processOptions(options),
  )
  return {
    ...started,
    ...askedAt(started.url),
    output: () => started.stdout() + started.stderr(),
    bring: (fault) => void started.child.kill(SIGNAL_OF_FAULT[fault]),
  }
}

/** Starts the built program without waiting for it; `spawning` sets its output and its process group. */
export function spawnService(options: ProgramOptions, spawning: SpawnOptions): ChildProcess {
  return spawnNode(programCommand(options), processOptions(options), spawning)
}

function programCommand({ nodeArgs = [], args = [], flags = {}, time = testTime }: ProgramOptions) {
  return [...nodeArgs, program, ...args, ...argumentsOf(flags), ...startInstantFlags(time)]
}

function pacedCommand({ nodeArgs = [], flags = {}, time }: PacedOptions) {
  const pace = { startsAt: testInstant, startedMs: monotonicNowMs(), ...time }
  const entry = join(top, 'tooling/dist/service/paced-service.entry.js')
  return [...nodeArgs, entry, ...paceArguments(pace), '--', ...argumentsOf(flags)]
}

function argumentsOf(flags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
}

function processOptions(options: PacedOptions | ProgramOptions): NodeProcessOptions {
  const { key, env, processors } = options
  const dnsDownFile = options.where === 'child' ? options.faults?.dnsDownFile : undefined
  return {
    env: {
      ...(key === undefined ? {} : { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: key }),
      ...(dnsDownFile === undefined ? {} : { FAKE_DNS_DOWN: dnsDownFile }),
      ...env,
    },
    ...(processors === undefined ? {} : { processors }),
  }
}

function askedAt(url: string): Asked {
  return {
    json: async <Body>(path: string) =>
      (await (await fetch(url + path, ownConnection)).json()) as Body,
    async metric(sample) {
      const text = await (await fetch(`${url}/metrics`, ownConnection)).text()
      const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
      return line === undefined ? null : Number(line.slice(sample.length))
    },
  }
}
