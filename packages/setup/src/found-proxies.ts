import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ConfigInput } from '@svc/config'
import { parse } from 'yaml'

const USUAL_PORT = 8317
const ANSWER_MS_MAX = 2_000
/** Names of the proxy's program. */
const PROGRAM = /(?:^|[\\/])cli-?proxy-?api[\w.-]*$/i

type World = Pick<ConfigInput, 'cwd' | 'homeDir' | 'readTextFile'> & {
  readonly fetch: typeof fetch
}

/** Addresses of the proxies that answer on this machine: those of configurations found here, and the usual one. No key is sent. */
export async function findProxies(world: World): Promise<readonly string[]> {
  const configs = [...configsOfProcesses(), ...usualConfigs(world)]
  const addresses = configs.flatMap((path) => addressIn(path, world) ?? [])
  const asked = [...new Set([...addresses, `http://127.0.0.1:${USUAL_PORT}`])]
  const answers = await Promise.all(asked.map((address) => isProxy(address, world)))
  return asked.filter((_, index) => answers[index])
}

function usualConfigs({ cwd, homeDir }: World): readonly string[] {
  const folders = ['cliproxyapi', 'CLIProxyAPI', 'cli-proxy-api', '.cli-proxy-api']
  return [cwd, ...folders.flatMap((name) => [join(homeDir, name), `/opt/${name}`, `/etc/${name}`])]
    .map((folder) => join(folder, 'config.yaml'))
    .concat(['/opt/homebrew', '/usr/local', ''].map((root) => `${root}/etc/cliproxyapi.conf`))
}

/** Configurations of running proxies, where the system lists its processes as files. */
function configsOfProcesses(): readonly string[] {
  return (existsSync('/proc') ? readdirSync('/proc') : []).flatMap((id) => {
    if (!/^\d+$/.test(id)) return []
    try {
      const [program = '', ...args] = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
      if (!PROGRAM.test(program)) return []
      const line = args.join('\0')
      const [, named = 'config.yaml'] = /(?:^|\0)--?config(?:=|\0)([^\0]+)/.exec(line) ?? []
      return [resolve(readlinkSync(`/proc/${id}/cwd`), named)]
    } catch {
      // It has ended, or belongs to somebody else.
      return []
    }
  })
}

/** The address at which the proxy of this configuration answers; null if it cannot be read or names no port. */
function addressIn(path: string, { readTextFile }: World): string | null {
  try {
    const document = Object(parse(readTextFile(path)))
    const { host = '', port, tls } = { ...document, ...Object(document.server) }
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return null
    const isAnywhere = host === '' || host === '0.0.0.0' || host === '::'
    const { href } = new URL(
      `${Object(tls).enable === true ? 'https' : 'http'}://${isAnywhere ? '127.0.0.1' : host}:${port}`,
    )
    return href.replace(/\/$/, '')
  } catch {
    return null
  }
}

async function isProxy(address: string, { fetch }: World): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const answer = await fetch(`${address}/`, { signal, redirect: 'manual' })
    return (await answer.text()).slice(0, 1_000).includes('CLI Proxy API')
  } catch {
    return false
  }
}
