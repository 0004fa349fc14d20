import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  aFakeAccount,
  createFakeUpstream,
  type FakeAccount,
  type FakeUpstream,
} from '@svc/fake-proxy'
import { type ServedFake, serveFake } from '../tooling/serve-fake.ts'
import { freePort } from '../tooling/service/built-program.ts'
import { type ServiceProcess, startService } from '../tooling/service/start-service.ts'
import { acceleratedClock } from '../tooling/test-instant.ts'

/** A fake proxy on a socket of its own. */
export interface ServedProxy {
  readonly fake: FakeUpstream
  readonly served: ServedFake
}

/** An `[[upstream]]` table: its name, the proxy behind it, and the key in its file. */
export interface Table {
  readonly name: string
  readonly proxy: ServedProxy
  readonly key?: string
}

/** Fake proxies, and the built program that watches those that its file lists. */
export interface Fleet {
  readonly config: string
  /** Writes the configuration: these proxies, after some keys. */
  write(tables: readonly Table[], before?: string): void
  proxy(accounts: readonly FakeAccount[]): Promise<ServedProxy>
  /** Starts the program with the configuration. */
  start(): Promise<ServiceProcess>
  /** Ends everything that was started. */
  end(): Promise<void>
}

const KEY = 'right-key-of-the-fleet-77'

/** A fleet without proxies yet. */
export function aFleet(): Fleet {
  const cleanUp: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'svc-fleet-'))
  cleanUp.push(() => rmSync(folder, { recursive: true }))
  const time = acceleratedClock({ factor: 1 })
  const config = join(folder, 'config.toml')
  return {
    config,
    write(tables, before = '') {
      const texts = tables.map(({ name, proxy, key = KEY }) => {
        const file = join(folder, `${name}-key`)
        writeFileSync(file, key, { mode: 0o600 })
        return `[[upstream]]\nname = "${name}"\nurl = "${proxy.served.url}"\nmanagement_key_file = "${name}-key"\nrefresh_seconds = 5\n`
      })
      writeFileSync(config, `${before}${texts.join('')}`, { mode: 0o600 })
    },
    async proxy(accounts) {
      const fake = createFakeUpstream({ now: () => time.now(), managementKey: KEY, accounts })
      const served = await serveFake(fake, 0)
      cleanUp.push(() => served.close())
      return { fake, served }
    },
    async start() {
      const service = await startService({
        where: 'program',
        flags: { config, port: String(await freePort()) },
      })
      cleanUp.push(() => service.stop())
      return service
    },
    async end() {
      for (const step of cleanUp.splice(0).reverse()) await step()
    },
  }
}

/** An account of this person, the same at every proxy. */
export const person = (name: string): FakeAccount => aFakeAccount({ name })

/** A file that says nothing of whose it is. */
export const unnamed = (name: string): FakeAccount =>
  aFakeAccount({
    name,
    fileName: 'work.json',
    entryOverrides: { email: undefined, label: undefined },
  })
