import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactId } from '@svc/deploy'

type Command = readonly [program: string, ...args: string[]]

/** A way to run the service. */
export interface StartWay {
  readonly label: string
  /** Path of each file that it needs, by artifact; `config` is the folder of the configuration. */
  readonly files: (
    folders: Readonly<Record<'homeDir' | 'config', string>>,
  ) => Partial<Record<ArtifactId, string>>
  /** Commands that start it with the machine, and that undo this. */
  readonly start: readonly Command[]
  readonly stop: readonly Command[]
  /** Whether this machine has it. */
  readonly isPossible: () => boolean
}

const UNIT = 'svc-quota-monitor.service'
const USER = ['systemctl', '--user'] as const
const noFiles = () => ({})
const LAUNCH_AGENT = 'Library/LaunchAgents/svc-quota-monitor.plist'

const table = {
  foreground: {
    label: 'here, until Ctrl-C',
    files: noFiles,
    start: [],
    stop: [],
    isPossible: () => true,
  },
  'systemd-user': {
    label: 'as a service of yours (systemd)',
    files: ({ homeDir }) => ({ 'systemd-user': join(homeDir, '.config/systemd/user', UNIT) }),
    start: [
      [...USER, 'daemon-reload'],
      [...USER, 'enable', '--now', UNIT],
    ],
    stop: [[...USER, 'disable', '--now', UNIT]],
    isPossible: () => succeeds([...USER, 'show-environment']),
  },
  systemd: {
    label: 'as a service of this machine (systemd)',
    files: () => ({ systemd: join('/etc/systemd/system', UNIT) }),
    start: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', '--now', UNIT],
    ],
    stop: [['systemctl', 'disable', '--now', UNIT]],
    isPossible: () => process.getuid?.() === 0 && existsSync('/run/systemd/system'),
  },
  launchd: {
    label: 'with your login (launchd)',
    files: ({ homeDir }) => ({ launchd: join(homeDir, LAUNCH_AGENT) }),
    start: [['launchctl', 'load', '-w', LAUNCH_AGENT]],
    stop: [['launchctl', 'unload', '-w', LAUNCH_AGENT]],
    isPossible: () => process.platform === 'darwin',
  },
  compose: {
    label: 'in a container: only writes its files',
    files: ({ config }) => ({
      compose: join(config, 'compose.yaml'),
      dockerfile: join(config, 'Dockerfile'),
    }),
    start: [],
    stop: [],
    isPossible: () => succeeds(['docker', '--version']),
  },
  none: {
    label: 'not now',
    files: noFiles,
    start: [],
    stop: [],
    isPossible: () => true,
  },
} as const satisfies Readonly<Record<string, StartWay>>

export type StartWayId = keyof typeof table
export const startWayIds = Object.keys(table) as StartWayId[]

/** Every way, in the order in which they are offered. */
export const startWays: Readonly<Record<StartWayId, StartWay>> = table

/** Runs commands in the user's home folder until one fails. Returns the failed one as text, with what it said; null if all succeed. */
export function runAll(commands: readonly Command[], homeDir: string): string | null {
  for (const [program, ...args] of commands) {
    const { status, stderr, error } = spawnSync(program, args, { cwd: homeDir, encoding: 'utf8' })
    if (status !== 0)
      return `${[program, ...args].join(' ')}: ${error?.message ?? stderr.trim().split('\n')[0]}`
  }
  return null
}

function succeeds([program, ...args]: Command): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
