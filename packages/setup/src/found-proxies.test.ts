import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProxies } from './found-proxies.ts'

const USUAL = 'http://127.0.0.1:8317'

/** Addresses found with these files, and those asked, where every proxy answers in the same way. */
async function found(files: Readonly<Record<string, string>>, answer = 'CLI Proxy API Server') {
  const asked: string[] = []
  const proxies = await findProxies({
    cwd: '/here',
    homeDir: '/home/ana',
    readTextFile(path) {
      const text = files[path]
      if (text === undefined) throw new Error('no such file')
      return text
    },
    async fetch(url) {
      asked.push(String(url))
      return new Response(answer)
    },
  })
  return { proxies, asked }
}

describe('findProxies', () => {
  it.each([
    ['no host', 'port: 9000', 'http://127.0.0.1:9000'],
    ['every address', 'host: 0.0.0.0\nport: 9000', 'http://127.0.0.1:9000'],
    ['every address, also of IPv6', 'host: "::"\nport: 9000', 'http://127.0.0.1:9000'],
    ['a host', 'host: proxy.lan\nport: 9000', 'http://proxy.lan:9000'],
    ['TLS', 'port: 9000\ntls: { enable: true }', 'https://127.0.0.1:9000'],
    ['TLS that is off', 'port: 9000\ntls: { enable: false }', 'http://127.0.0.1:9000'],
    ['config-version 8', 'config-version: 8\nserver: { port: 9000 }', 'http://127.0.0.1:9000'],
  ])('takes the address of a configuration with %s', async (_, text, address) => {
    expect((await found({ '/home/ana/cliproxyapi/config.yaml': text })).proxies).toEqual([
      address,
      USUAL,
    ])
  })

  it.each([
    ['no port', 'host: 127.0.0.1'],
    ['a port that cannot be', 'port: 65536'],
    ['a port that is a text', 'port: "http"'],
    ['nothing that can be read', '{'],
  ])('asks the usual address alone where a configuration has %s', async (_, text) => {
    expect((await found({ '/etc/cliproxyapi/config.yaml': text })).asked).toEqual([`${USUAL}/`])
  })

  it('asks an address once, whatever number of files names it', async () => {
    const text = 'port: 8317'
    const files = { '/here/config.yaml': text, '/opt/CLIProxyAPI/config.yaml': text }

    expect((await found(files)).asked).toEqual([`${USUAL}/`])
  })

  it('leaves out what is no proxy', async () => {
    expect((await found({}, 'Welcome to nginx!')).proxies).toEqual([])
  })

  it.skipIf(!existsSync('/proc/self/cmdline'))(
    'reads the configuration that a running proxy was given, from its folder',
    async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'svc-found-'))
      const args = ['-e', 'console.log(1); setInterval(() => {}, 1e6)', '--', '-config', 'own.yaml']
      const options = { argv0: '/opt/proxy/cli-proxy-api', cwd }
      const proxy = spawn(process.execPath, args, options)
      try {
        await new Promise((began) => proxy.stdout.once('data', began))
        expect((await found({ [join(cwd, 'own.yaml')]: 'port: 9001' })).proxies).toContain(
          'http://127.0.0.1:9001',
        )
      } finally {
        proxy.kill()
        rmSync(cwd, { recursive: true })
      }
    },
  )
})
