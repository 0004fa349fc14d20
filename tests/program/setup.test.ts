import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createFakeUpstream, type FakeUpstream, samplePool } from '@svc/fake-proxy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ServedFake, serveFake } from '../../tooling/serve-fake.ts'
import {
  freePort,
  program,
  runProgram,
  startInstantFlags,
  testTime,
} from '../../tooling/service/built-program.ts'
import { testInstant } from '../../tooling/test-instant.ts'

const KEY = 'setup-test-key'
const HASH = '$2a$10$abcdefghijklmnopqrstuuJ8kEq5Ryw8mYkq3t0sE0b1mQw4yYQ2a'
let home = ''
let fake: FakeUpstream
let proxy: ServedFake
let port = 0

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'svc-setup-'))
  fake = createFakeUpstream({
    now: () => testInstant,
    managementKey: KEY,
    accounts: samplePool(testInstant),
  })
  proxy = await serveFake(fake, 0)
  port = await freePort()
})
afterEach(async () => {
  await proxy.close()
  // The service that a test has started, where the test failed before it ended it.
  if (existsSync(join(home, 'pid')))
    spawnSync('kill', ['-KILL', readFileSync(join(home, 'pid'), 'utf8').trim()])
  rmSync(home, { recursive: true, force: true })
})

const folder = () => join(home, '.config/svc-quota-monitor')
const inFolder = (name: string) => join(folder(), name)
const world = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_STATE_HOME: join(home, '.state'),
  PATH: `${join(home, 'bin')}:${process.env.PATH}`,
})
const setup = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProgram(['setup', ...args], { env: { ...world(), ...env } })
const flags = () => ['--yes', '--upstream-url', proxy.url, '--port', String(port)]
const withKey = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY }

/** A program of this name that notes how it was called, and whose service answers or fails. */
function aProgram(name: string, script: string): string {
  const path = join(home, 'bin', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\necho "$*" >>'${home}/calls'\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

describe('setup', () => {
  it('writes a configuration with its key and a history, checks it and names what it did', async () => {
    const { code, stdout, stderr } = await setup([...flags(), '--start', 'none'], withKey)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('the key is accepted')
    expect(stdout).not.toContain(KEY)
    for (const name of ['config.toml', 'management-key', 'setup.json'])
      expect(statSync(inFolder(name)).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(inFolder('management-key'), 'utf8')).toBe(`${KEY}\n`)
    const config = readFileSync(inFolder('config.toml'), 'utf8')
    expect(config).toContain(`\nupstream_url = "${proxy.url}"`)
    expect(config).toContain(`\nstate_db = "${join(home, '.state/svc-quota-monitor/history.db')}"`)
    expect(config).not.toContain(KEY)
    const doctor = await runProgram(['doctor'], { env: world() })
    expect(doctor.code, doctor.stdout).toBe(0)
  })

  it('finds the proxy by its configuration in a usual folder', async () => {
    mkdirSync(join(home, 'cliproxyapi'))
    writeFileSync(
      join(home, 'cliproxyapi/config.yaml'),
      `host: ""\nport: ${new URL(proxy.url).port}\n`,
    )
    const { code, stdout } = await setup(
      ['--yes', '--port', String(port), '--start', 'none'],
      withKey,
    )

    expect(code, stdout).toBe(0)
    expect(readFileSync(inFolder('config.toml'), 'utf8')).toContain(new URL(proxy.url).host)
  })

  it.each([
    ['a wrong key', 'wrong', 1],
    ['the hash of the key', HASH, 0],
  ])('writes nothing for %s, which the proxy counts at most once', async (_, key, counted) => {
    const { code, stderr } = await setup(flags(), { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: key })

    expect(code).toBe(1)
    expect(stderr).toContain('nothing was written')
    expect(fake.stats.refusedRequests).toBe(counted)
    expect([existsSync(folder()), existsSync(join(home, '.state/svc-quota-monitor'))]).toEqual([
      false,
      false,
    ])
  })

  it('leaves a configuration that is there as it is, unless it is forced', async () => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(inFolder('key'), `${KEY}\n`, { mode: 0o600 })
    const before = `upstream_url = "${proxy.url}"\nmanagement_key_file = "key"\nport = ${port}\n`
    writeFileSync(inFolder('config.toml'), before, { mode: 0o600 })
    const kept = await setup(['--yes', '--start', 'none'])

    expect(kept.code, kept.stderr).toBe(0)
    expect(kept.stdout).toContain('is there and stays as it is')
    expect(readFileSync(inFolder('config.toml'), 'utf8')).toBe(before)
    expect((await setup([...flags(), '--force', '--start', 'none'], withKey)).code).toBe(0)
    expect(readFileSync(inFolder('config.toml'), 'utf8')).not.toBe(before)
  })

  it('writes over no file of somebody else, unless it is forced', async () => {
    aProgram('systemctl', `case "$*" in *enable*) echo 'no bus' >&2; exit 1;; esac`)
    const unit = join(home, '.config/systemd/user/svc-quota-monitor.service')
    mkdirSync(dirname(unit), { recursive: true })
    writeFileSync(unit, '# mine\n')
    const args = [...flags(), '--start', 'systemd-user']
    const refused = await setup(args, withKey)

    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${unit} exists already`),
    })
    expect([readFileSync(unit, 'utf8'), existsSync(folder())]).toEqual(['# mine\n', false])
    await setup([...args, '--force'], { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: `${KEY}\n` })
    expect(readFileSync(unit, 'utf8')).toContain('ExecStart=')
    expect(readFileSync(inFolder('management-key'), 'utf8')).toBe(`${KEY}\n`)
  })

  it('wants to be told which of several proxies it watches', async () => {
    const other = await serveFake(fake, 0)
    const urls = [proxy.url, other.url]
    try {
      for (const [at, name] of ['cliproxyapi', 'cli-proxy-api'].entries()) {
        mkdirSync(join(home, name))
        const text = `port: ${new URL(urls[at] ?? '').port}\n`
        writeFileSync(join(home, name, 'config.yaml'), text)
      }
      const { code, stderr } = await setup(['--yes', '--start', 'none'], withKey)

      expect(code).toBe(2)
      expect(stderr).toContain(`give --upstream-url: ${urls.join(', ')}`)
      expect(existsSync(folder())).toBe(false)
    } finally {
      await other.close()
    }
  })

  it('makes a unit of a configuration with a table for each proxy', async () => {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(inFolder('key'), `${KEY}\n`, { mode: 0o600 })
    const table = `[[upstream]]\nname = "tokyo"\nurl = "${proxy.url}"\nmanagement_key_file = "key"\n`
    writeFileSync(inFolder('config.toml'), `port = ${port}\n\n${table}`, { mode: 0o600 })
    aProgram('systemctl', `case "$*" in *enable*) echo 'no bus' >&2; exit 1;; esac`)
    const { code, stderr } = await setup(['--yes', '--start', 'systemd-user'])

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('the service was not started'),
    })
    expect(existsSync(join(home, '.config/systemd/user/svc-quota-monitor.service'))).toBe(true)
  })

  it.each([
    { before: 'no folder', isThere: false },
    { before: 'an empty folder of the user', isThere: true },
  ])(
    'killed while it checks, with $before for the history, leaves nothing that --remove does not find',
    async ({ isThere }) => {
      const state = join(home, '.state/svc-quota-monitor')
      if (isThere) mkdirSync(state, { recursive: true })
      // It never answers.
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const asked = once(silent, 'request')
      const given = [program, 'setup', '--yes', '--upstream-url', url, '--start', 'none']
      const env = { ...process.env, ...world(), ...withKey }
      const killed = spawn(process.execPath, given, { env, stdio: 'ignore' })
      const ended = once(killed, 'exit')
      await asked
      killed.kill('SIGKILL')
      await ended
      silent.closeAllConnections()
      silent.close()
      expect(existsSync(state)).toBe(true)

      const { code, stderr } = await setup(['--yes', '--remove'])
      expect({ code, stderr }).toEqual(
        isThere
          ? { code: 1, stderr: expect.stringContaining('has written nothing') }
          : { code: 0, stderr: '' },
      )
      expect([existsSync(folder()), existsSync(state)]).toEqual([false, isThere])
    },
  )

  it('goes on after a kill while it checked, and leaves a history that came since', async () => {
    const state = join(home, '.state/svc-quota-monitor')
    mkdirSync(folder(), { recursive: true })
    mkdirSync(state, { recursive: true })
    writeFileSync(
      inFolder('setup.json'),
      JSON.stringify({ way: 'none', files: [], folders: [state] }),
    )

    expect((await setup([...flags(), '--start', 'none'], withKey)).code).toBe(0)
    writeFileSync(join(state, 'history.db'), 'kept')
    expect((await setup(['--yes', '--remove'])).code).toBe(0)
    expect(existsSync(folder())).toBe(false)
    expect(readFileSync(join(state, 'history.db'), 'utf8')).toBe('kept')
  })

  it('takes along what a kill in the middle of a file has left, as a part of the key', async () => {
    const unfinished = (name: string) => inFolder(`${name}.unfinished`)
    expect((await setup([...flags(), '--start', 'none'], withKey)).code).toBe(0)
    for (const name of ['management-key', 'setup.json']) writeFileSync(unfinished(name), KEY)
    expect((await setup(['--yes', '--remove'])).code).toBe(0)
    expect(existsSync(folder())).toBe(false)

    mkdirSync(folder())
    writeFileSync(unfinished('setup.json'), '{')
    expect((await setup(['--yes', '--remove'])).code).toBe(0)
    expect(existsSync(folder())).toBe(false)
  })

  it('asks for what is missing, in one line', async () => {
    expect((await setup(['--yes', '--upstream-url', proxy.url])).stderr).toMatch(
      /^svc-quota-monitor: a management key is needed: [^\n]+\n$/,
    )
    expect((await setup([])).stderr).toMatch(
      /^svc-quota-monitor: setup asks on a terminal: [^\n]+\n$/,
    )
    expect(existsSync(folder())).toBe(false)
  })

  it('starts a unit of the user, and removes again what it wrote and nobody has changed', async () => {
    aProgram(
      'systemctl',
      `printenv >>'${home}/calls'; case "$*" in *enable*) '${process.execPath}' '${program}' >'${home}/log' 2>&1 & echo $! >'${home}/pid';; *disable*) kill $(cat '${home}/pid'); rm '${home}/pid';; esac`,
    )
    const { code, stdout, stderr } = await setup([...flags(), '--start', 'systemd-user'], withKey)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`The service is running: http://127.0.0.1:${port}/\n`)
    const unit = join(home, '.config/systemd/user/svc-quota-monitor.service')
    expect(readFileSync(unit, 'utf8')).toContain(`--config ${inFolder('config.toml')}\n`)
    expect((await setup(['--yes', ...flags()])).stdout).toContain('is running already')
    writeFileSync(unit, '# mine\n', { flag: 'a' })
    const undone = await setup(['--yes', '--remove'])

    expect(undone.code, undone.stderr).toBe(0)
    expect(undone.stdout).toContain(`${unit} stays`)
    expect(undone.stdout).toContain('The history stays')
    expect([existsSync(folder()), existsSync(unit)]).toEqual([false, true])
    const calls = readFileSync(join(home, 'calls'), 'utf8')
    expect(calls).toContain('--user disable --now svc-quota-monitor.service')
    expect(calls).not.toContain(KEY)
    await eventually('the service has ended', async () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => false,
        () => true,
      ),
    )
  })

  it('writes the files of a container that reads the key as a file, and removes those of both runs', async () => {
    aProgram('docker', '')
    expect((await setup([...flags(), '--start', 'none'], withKey)).code).toBe(0)
    const { code, stdout, stderr } = await setup(['--yes', '--start', 'compose'])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`docker compose --file ${inFolder('compose.yaml')} up`)
    expect(readFileSync(inFolder('compose.yaml'), 'utf8')).toContain(inFolder('management-key'))
    expect((await setup(['--yes', '--remove'])).code).toBe(0)
    expect(existsSync(folder())).toBe(false)
  })

  it('says what a failed start said, and goes on where it was killed', async () => {
    aProgram('systemctl', `case "$*" in *enable*) echo 'no bus' >&2; exit 1;; esac`)
    const failed = await setup([...flags(), '--start', 'systemd-user'], withKey)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(
      /the service was not started: systemctl --user enable --now [^\n]*no bus\n$/,
    )

    // As after a kill between two files.
    rmSync(inFolder('config.toml'))
    const again = await setup([...flags(), '--start', 'none'], withKey)
    expect(again.code, again.stderr).toBe(0)
    expect(existsSync(inFolder('config.toml'))).toBe(true)
    expect((await setup(['--yes', '--remove'])).code).toBe(0)
    expect(existsSync(folder())).toBe(false)
  })
})

describe('setup on a terminal', () => {
  it('asks for address, key and way at 80 columns and never shows the key', async (test) => {
    if (spawnSync('tmux', ['-V']).error !== undefined && process.env.CI === undefined)
      return test.skip('skipped, because tmux is not installed')
    const tmux = (...args: readonly string[]) =>
      spawnSync('tmux', ['-S', join(home, 'socket'), '-f', '/dev/null', ...args], {
        encoding: 'utf8',
        cwd: home,
        env: { ...world(), LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
      }).stdout ?? ''
    const command = `'${process.execPath}' '${program}' setup --port ${port} ${startInstantFlags(testTime).join(' ')}; echo "ended $?"; cat`
    tmux('new-session', '-d', '-s', 's', '-x', '80', '-y', '24', command)
    const all = () => tmux('capture-pane', '-p', '-S', '-', '-t', 's')
    const says = (words: string) => eventually(`it says ${words}`, () => all().includes(words))
    try {
      const answer = (text: string) => {
        tmux('send-keys', '-t', 's', '-l', text)
        tmux('send-keys', '-t', 's', 'Enter')
      }
      const erase = (text: string) => {
        for (const _ of text) tmux('send-keys', '-t', 's', 'BSpace')
      }
      await says('Address of the proxy')
      answer('localhost:8317')
      await says('A whole address')
      erase('localhost:8317')
      answer(proxy.url)
      await says('Management key')
      answer(HASH)
      await says('This is a bcrypt hash')
      erase(HASH)
      answer(KEY)
      await says('How does it run?')
      expect(fake.stats.refusedRequests).toBe(0)
      tmux('send-keys', '-t', 's', 'Up')
      await says('● not now')
      tmux('send-keys', '-t', 's', 'Enter')
      await says('Go on?')
      tmux('send-keys', '-t', 's', 'Enter')
      await says('ended 0')
      expect(all()).not.toContain(KEY)
      expect(readFileSync(inFolder('management-key'), 'utf8')).toBe(`${KEY}\n`)
    } finally {
      tmux('kill-server')
    }
  })
})
