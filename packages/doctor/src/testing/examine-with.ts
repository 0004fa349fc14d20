import type { ConfigInput } from '@svc/config'
import { fixedClock } from '@svc/core/testing'
import { examine } from '../examine.ts'

/** Differences from a bare machine: environment, files, clock and network. */
export type Surroundings = Partial<ConfigInput & Parameters<typeof examine>[1]>

export async function examineWith(argv: readonly string[], surroundings: Surroundings) {
  const flags: Record<string, string> = {}
  for (let index = 0; index < argv.length; index += 2) {
    const [name, value] = [argv[index]?.slice(2) ?? '', argv[index + 1] ?? '']
    flags[name] = name in flags ? `${flags[name]},${value}` : value
  }
  const { config = null, ...settings } = flags
  const around = {
    flags: settings,
    configFlag: config,
    env: {},
    cwd: '/srv',
    homeDir: '/home/someone',
    hostTimeZone: 'UTC',
    demo: false,
    readTextFile(): never {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    },
    clock: fixedClock(),
    fetch: globalThis.fetch,
    nodeVersion: '20.19.0',
    ...surroundings,
  }
  return await examine(around, around)
}
