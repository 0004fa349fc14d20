import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { top } from '../top.ts'
import { commands } from './commands.mjs'
import { INSTALLS, makeSmallClone, type SmallClone, startLauncher, TURBO } from './small-clone.ts'

let clone: SmallClone
beforeEach(() => {
  clone = makeSmallClone()
})
afterEach(() => {
  chmodSync(clone.folder, 0o755)
  clone.remove()
})

const launch = (command: string, options = {}) => startLauncher(clone, command, options).ended

describe('the commands', () => {
  it('are the npm scripts, each one replaced by its process, so that signals reach it', () => {
    const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }

    expect(scripts).toEqual(
      Object.fromEntries(
        Object.keys(commands).map((name) => [
          name,
          `exec node -r ./tooling/require-node.cjs tooling/launch/launch.mjs ${name}`,
        ]),
      ),
    )
  })

  it('run programs that are built before', () => {
    const built = readFileSync(join(top, 'tooling/esbuild.mjs'), 'utf8')
    for (const { program, builds } of Object.values(commands)) {
      const [, source] = /^tooling\/dist\/(.+)\.js$/.exec(program?.[0] ?? '') ?? []
      if (source === undefined) continue
      expect(builds).toBe('everything')
      expect(built).toContain(`'${source}.ts'`)
    }
  })

  it('name files that are there', () => {
    const named = ['commands', 'tests', 'turbo'].flatMap((name) => [
      ...readFileSync(join(top, `tooling/launch/${name}.mjs`), 'utf8').matchAll(
        /'((?:apps|packages|tests|tooling)\/(?!dist)[\w/.-]+)'/g,
      ),
    ])

    expect(named.length).toBeGreaterThan(4)
    expect(
      named
        .map(([, path = '']) => path)
        .filter((path) => !path.includes('/dist/') && !existsSync(join(top, path))),
    ).toEqual([])
  })
})

describe('npm run demo', () => {
  it('installs and builds in a line each, then is the demo, with its arguments and its exit code', async () => {
    clone.useNpx(`echo "$*" >> asked; ${INSTALLS}; echo a thousand lines`)
    clone.write(
      TURBO,
      "require('node:fs').writeFileSync('asked-of-turbo', process.argv.slice(2).join(' '))",
    )

    expect(await launch('demo', { args: ['--port', '4600'] })).toEqual({
      code: 3,
      output: 'Installing packages … N s\nBuilding … N s\n--demo --port 4600\n',
    })
    expect(readFileSync(join(clone.folder, 'asked'), 'utf8')).toMatch(
      /^--yes pnpm@[\d.]+ install --frozen-lockfile [^\n]*\n$/,
    )
    expect(clone.read('asked-of-turbo')).toMatch(/^run build .*--filter=svc-quota-monitor$/)
  })

  it('shows what a build that fails has said, whole', async () => {
    clone.useNpx(INSTALLS)
    clone.write(TURBO, "console.log('first'); console.error('the reason'); process.exitCode = 1")

    expect(await launch('demo')).toEqual({
      code: 1,
      output:
        'Installing packages … N s\nBuilding … failed\nfirst\nthe reason\n\nThe build failed; the reason stands above.\n',
    })
  })

  it.each([
    [
      'npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED',
      /^The package registry cannot be reached \(ECONNREFUSED\): connect /,
    ],
    [
      'ERR_PNPM_META_FETCH_FAIL  GET https://registry.invalid/x: request failed, reason: getaddrinfo EAI_AGAIN registry.invalid',
      /^The package registry cannot be reached \(EAI_AGAIN\)/,
    ],
    [
      'ERR_PNPM_ENOSPC  ENOSPC: no space left on device, write',
      /^There is no space left on the disk: about 1 GB is needed/,
    ],
    [
      "EACCES: permission denied, mkdir '/home/ana/.npm/_cacache'",
      /^\/home\/ana\/\.npm\/_cacache cannot be written \(EACCES\): give it to your user/,
    ],
    [
      'request failed, reason: unable to verify (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      /^The certificate of the package registry is not trusted/,
    ],
    [
      'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
      /^pnpm-lock\.yaml does not fit the package\.json files: install /,
    ],
  ])(
    'tells in one line, with the remedy, why an installation failed that said %s',
    async (said, line) => {
      clone.useNpx(`cat <<'END' >&2\n${said}\nEND\nexit 1`)
      const { code, output } = await launch('demo')
      const [first, second = '', ...more] = output.split('\n')

      expect({ code, first, more }).toEqual({
        code: 1,
        first: 'Installing packages … failed',
        more: [''],
      })
      expect(second).toMatch(line)
    },
  )

  it('takes what it has started along when it is ended', async () => {
    clone.useNpx('sleep 600 & echo $! > sleeper; echo $$ > own; wait')
    const started = startLauncher(clone, 'demo')
    await expect.poll(() => existsSync(join(clone.folder, 'own')), { timeout: 60_000 }).toBe(true)
    started.child.kill('SIGTERM')

    expect((await started.ended).code).toBe(143)
    const pids = ['sleeper', 'own'].map((file) =>
      readFileSync(join(clone.folder, file), 'utf8').trim(),
    )
    await expect
      .poll(() => pids.filter((pid) => spawnSync('kill', ['-0', pid]).status === 0), {
        timeout: 60_000,
      })
      .toEqual([])
  })
})

describe('the launcher', () => {
  it('lists the commands when it does not know one', async () => {
    expect(await launch('frobnicate')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^frobnicate is not a command; these are: demo, live, test, /),
    })
  })

  it('says in one line that Node is too old, in words an old one understands', () => {
    const file = join(top, 'tooling/require-node.cjs')
    for (const version of ['12.22.0', '18.20.4', '20.18.3', '22.11.0', '23.5.0']) {
      const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(file)})`
      const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })

      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `svc-quota-monitor needs Node 20.19 or newer (20.19+, 22.12+ or 24+), not ${version}: install one from nodejs.org.\n`,
      })
    }
  })
})
