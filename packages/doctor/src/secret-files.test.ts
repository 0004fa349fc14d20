import {
  chmodSync,
  chownSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readClientLabels, readKeyFile } from '@svc/collector'
import { openHistory } from '@svc/history'
import { checkAddress } from '@svc/notify'
import { readAuthFile } from '@svc/secret-files'
import { describe, expect, it } from 'vitest'
import type { CheckId } from './finding.ts'
import { examineSetUp, KEY, PROXY_URL, row, type SetUp } from './testing/world.ts'

/** A secret file: its content, the set-up that uses it, and whether the service accepts it. */
interface Secret {
  readonly name: string
  readonly content: string
  readonly check: CheckId
  readonly setUp: (path: string) => SetUp
  readonly isUsed: (path: string) => Promise<boolean>
}

const NO_KEY = {
  SVC_QUOTA_MONITOR_MANAGEMENT_KEY: undefined,
  SVC_QUOTA_MONITOR_UPSTREAM_URL: undefined,
}
const isKeyUsed = async (path: string) => (await readKeyFile(path)).kind === 'key'
const nowhere = 'postgres://127.0.0.1:1/history?sslmode=disable'

const secrets: readonly Secret[] = [
  {
    name: 'management key',
    content: KEY,
    check: 'management_key',
    setUp: (path) => ({
      argv: ['--upstream-url', PROXY_URL, '--management-key-file', path],
      env: NO_KEY,
    }),
    isUsed: isKeyUsed,
  },
  {
    name: 'key of one of several proxies',
    content: KEY,
    check: 'management_key',
    setUp: (path) => ({
      env: NO_KEY,
      toml: `[[upstream]]\nname = "one"\nurl = "${PROXY_URL}"\nmanagement_key_file = "${path}"\n`,
    }),
    isUsed: isKeyUsed,
  },
  {
    name: 'password of the database',
    content: 'doctor-canary-password',
    check: 'state_db',
    setUp: (path) => ({ argv: ['--state-db', nowhere, '--state-db-password-file', path] }),
    // If the password is accepted, the address fails instead.
    isUsed: async (passwordFile) =>
      await openHistory(nowhere, { passwordFile }).then(
        () => true,
        ({ code }) => code === 'unreachable',
      ),
  },
  {
    name: 'client labels',
    content: '{"clients":[{"apiName":"client-key","label":"CI"}]}',
    check: 'client_labels',
    setUp: (path) => ({ argv: ['--client-labels-file', path] }),
    isUsed: async (path) =>
      await readClientLabels(path).then(
        () => true,
        () => false,
      ),
  },
  {
    name: 'address of a receiver',
    content: 'https://127.0.0.1/doctor-canary',
    check: 'notify',
    setUp: (path) => ({
      toml: `[[notify]]\nname = "phone"\nkind = "webhook"\nurl_file = "${path}"\n`,
    }),
    isUsed: async (urlFile) =>
      (await checkAddress({ name: 'phone', kind: 'webhook', urlFile })).kind === 'ok',
  },
  {
    name: 'auth file',
    content: '{"type":"codex","access_token":"doctor-canary-token"}',
    check: 'auth_dir',
    setUp: (path) => ({ argv: ['--auth-dir', dirname(path), '--quota-transport', 'auth-files'] }),
    isUsed: async (path) => (await readAuthFile(dirname(path), 'secret.json')).kind === 'text',
  },
]

/** Faults of a file `secret.json` in `folder/below/`. */
const faults: readonly {
  readonly name: string
  readonly isUsed: boolean
  readonly make: (path: string) => void
  readonly asRoot?: true
}[] = [
  { name: 'nothing', isUsed: true, make: () => undefined },
  {
    name: 'others can read it',
    isUsed: true,
    make: (path) => {
      chmodSync(path, 0o644)
      chmodSync(dirname(path), 0o755)
    },
  },
  { name: 'others can write it', isUsed: false, make: (path) => chmodSync(path, 0o602) },
  { name: 'its group can write it', isUsed: false, make: (path) => chmodSync(path, 0o620) },
  {
    name: 'others can write its folder',
    isUsed: false,
    make: (path) => chmodSync(dirname(path), 0o777),
  },
  {
    name: 'others can write a folder above',
    isUsed: false,
    make: (path) => chmodSync(dirname(dirname(path)), 0o777),
  },
  {
    name: 'others can write its folder, which is sticky',
    isUsed: true,
    make: (path) => chmodSync(dirname(path), 0o1777),
  },
  {
    name: 'another user owns it',
    isUsed: false,
    asRoot: true,
    make: (path) => chownSync(path, 12_345, 0),
  },
  {
    name: 'another user owns a folder above',
    isUsed: false,
    asRoot: true,
    make: (path) => chownSync(dirname(dirname(path)), 12_345, 0),
  },
  { name: 'it is not there', isUsed: false, make: (path) => rmSync(path) },
  { name: 'it is empty', isUsed: false, make: (path) => writeFileSync(path, '') },
  {
    name: 'it is a folder',
    isUsed: false,
    make: (path) => {
      rmSync(path)
      mkdirSync(path)
    },
  },
  {
    name: 'it is too large',
    isUsed: false,
    make: (path) => writeFileSync(path, `${' '.repeat(2 ** 20)}x`),
  },
  {
    name: 'it links into a folder that others can write',
    isUsed: false,
    make: (path) => {
      const open = join(dirname(path), 'open')
      mkdirSync(open)
      chmodSync(open, 0o777)
      writeFileSync(join(open, 'target'), 'x', { mode: 0o600 })
      rmSync(path)
      symlinkSync('open/target', path)
    },
  },
]

const cases = secrets.flatMap((secret) => faults.map((fault) => ({ secret, fault })))

describe('a file with a secret', () => {
  it.for(cases)(
    'is judged by doctor as the service uses it: $secret.name, $fault.name',
    async ({ secret, fault }, context) => {
      if (fault.asRoot && process.getuid?.() !== 0)
        return context.skip('skipped, because only root can give files away')
      let isUsed: boolean | null = null
      const { checks } = await examineSetUp(
        row('', [], async ({ folder, file }) => {
          folder('above')
          folder('above/below')
          const path = join(
            realpathSync(dirname(file('above/below/secret.json', secret.content))),
            'secret.json',
          )
          fault.make(path)
          isUsed = await secret.isUsed(path)
          return secret.setUp(path)
        }),
      )
      const found = checks.find(({ id }) => id === secret.check)

      expect(isUsed).toBe(fault.isUsed)
      expect(`${found?.status} ${found?.code}`).toMatch(
        isUsed ? /^(?:ok|warn) / : /^(?:fail|warn) (?!readable)/,
      )
      expect(found?.code === 'readable_by_others').toBe(fault.name === 'others can read it')
    },
  )
})
