import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { top } from '../launch/top.mjs'
import { commitOf } from '../launch/turbo.mjs'
import { done, makeExecutables, PLATFORMS } from './make-executables.mjs'

const PROGRAM = '/usr/bin/svc-quota-monitor'
/** A user of the image alone, by number as `init` has it in its container files. */
const USER = '65532:65532'
const [UID, GID] = USER.split(':')
const ETC = {
  passwd: `svc-quota-monitor:x:${UID}:${GID}::/state:/sbin/nologin`,
  group: `svc-quota-monitor:x:${GID}:`,
  'nsswitch.conf': 'hosts: files dns',
}
/** Folders that this user may write to. */
const OWN_FOLDERS = ['state', 'tmp']
const PORT = '4515/tcp'
/** As Docker has it, in nanoseconds; engines that do not know it leave it out. */
const HEALTH = { Test: ['CMD', PROGRAM, 'line', '--alive'], Interval: 30e9, Timeout: 10e9 }
/** Names of the platforms for container engines. */
const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }
const SAME = ['--sort=name', '--mtime=@0', '--numeric-owner', '--mode=u=rwX,go=rX']
const OF_ROOT = ['--owner=0', '--group=0']

/** @typedef {Pick<import('../launch/screen.mjs').Screen, 'begin' | 'line'>} Screen */
/** @typedef {keyof typeof ARCHITECTURES} Platform */
/** @typedef {{ readonly version: string, readonly labels: Readonly<Record<string, string>> }} Release */

/**
 * A folder for `docker buildx build`, and the same image for the platform of this machine as an archive.
 * @param {Screen} screen
 */
export async function makeImage(screen) {
  const [folder, executables] = [join(top, 'image'), join(top, 'executables')]
  const platforms = /** @type {Platform[]} */ (Object.keys(PLATFORMS))
  await makeExecutables(screen, executables, platforms)
  await writeImage(screen, { folder, executables, platforms })
}

/**
 * @param {Screen} screen
 * @param {{ readonly folder: string, readonly executables: string, readonly platforms: readonly Platform[] }} plan
 */
export async function writeImage(screen, { folder, executables, platforms }) {
  const { version } = JSON.parse(readFileSync(join(top, 'apps/cli/package.json'), 'utf8'))
  const revision = await commitOf()
  const facts = { title: 'svc-quota-monitor', version, revision, licenses: 'MIT' }
  const known = Object.entries(facts).filter(([, value]) => value !== '')
  const labels = Object.fromEntries(
    known.map(([name, value]) => [`org.opencontainers.image.${name}`, value]),
  )
  rmSync(folder, { recursive: true, force: true })
  for (const platform of platforms) {
    const tree = join(folder, ARCHITECTURES[platform])
    const doc = join(tree, 'usr/share/doc/svc-quota-monitor')
    for (const made of [doc, dirname(join(tree, PROGRAM)), join(tree, 'etc')])
      mkdirSync(made, { recursive: true })
    const name = `svc-quota-monitor-${version}-${platform}`
    const unpack = ['-xzf', join(executables, `${name}.tar.gz`), '--strip-components=1', '-C', doc]
    await done(screen, `Unpacking ${name}`, 'tar', unpack)
    renameSync(join(doc, 'svc-quota-monitor'), join(tree, PROGRAM))
    for (const [file, text] of Object.entries(ETC))
      writeFileSync(join(tree, 'etc', file), `${text}\n`)
  }
  writeFileSync(join(folder, 'Dockerfile'), dockerfile({ version, labels }))
  screen.line(`${join(folder, 'Dockerfile')} is made`)
  const own = platforms.find((platform) => platform === `linux-${arch()}`)
  if (own === undefined) return
  const archive = join(folder, `svc-quota-monitor-${version}-${own}.oci.tar`)
  const tree = join(folder, ARCHITECTURES[own])
  await writeArchive(screen, { tree, archive, architecture: ARCHITECTURES[own], version, labels })
  screen.line(`${archive} is made; that of another platform is made on a machine of it`)
}

/**
 * Only the C and C++ libraries come from the base.
 * @param {Release} release
 */
function dockerfile({ version, labels }) {
  const [kind, ...command] = HEALTH.Test
  const told = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return `# docker buildx build --platform linux/amd64,linux/arm64 --tag svc-quota-monitor:${version} .
# Another base with the C and C++ libraries, or a digest: --build-arg BASE=node@sha256:...
ARG BASE=node:24-slim

FROM \${BASE} AS libraries
ARG TARGETARCH
COPY \${TARGETARCH} /image
# Apart, because a folder that is there keeps its owner when it is copied to.
RUN mkdir --parents ${OWN_FOLDERS.map((name) => `/own/${name}`).join(' ')} \\
 && ldd /image${PROGRAM} | grep -o '/[^ ]*' | xargs cp --dereference --parents --target-directory=/image

FROM scratch
COPY --from=libraries /image /
COPY --from=libraries --chown=${USER} /own /
LABEL ${told.join(' \\\n      ')}
USER ${USER}
WORKDIR /state
VOLUME /state
EXPOSE ${PORT}
HEALTHCHECK --interval=${HEALTH.Interval / 1e9}s --timeout=${HEALTH.Timeout / 1e9}s ${kind} ${JSON.stringify(command)}
ENTRYPOINT ${JSON.stringify([PROGRAM])}
`
}

/**
 * The image in the layout of the Open Container Initiative, with the libraries of this machine, and the list that `docker load` reads.
 * @param {Screen} screen
 * @param {Release & { readonly tree: string, readonly archive: string, readonly architecture: string }} plan
 */
async function writeArchive(screen, { tree, archive, architecture, version, labels }) {
  const work = mkdtempSync(join(tmpdir(), 'svc-image-'))
  try {
    const root = join(work, 'root')
    cpSync(tree, root, { recursive: true })
    const libraries = await done(screen, 'Finding libraries', 'ldd', [join(root, PROGRAM)])
    for (const [path] of libraries.matchAll(/\/\S+/g)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      // Follows links; cpSync of Node 24 fails on one to a file.
      copyFileSync(path, join(root, path))
    }
    for (const name of OWN_FOLDERS) mkdirSync(join(root, name))

    const layer = join(work, 'layer.tar')
    const own = OWN_FOLDERS.map((name) => `./${name}`)
    const others = [...OF_ROOT, ...own.map((name) => `--exclude=${name}`), '-C', root, '.']
    await done(screen, 'Packing the layer', 'tar', ['-cf', layer, ...SAME, ...others])
    const theirs = [`--owner=${UID}`, `--group=${GID}`, '-C', root, ...own]
    await done(screen, 'Adding its folders', 'tar', ['-rf', layer, ...SAME, ...theirs])
    const bytes = readFileSync(layer)

    const layout = join(work, 'layout')
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true })
    const pathOf = (/** @type {string} */ digest) => `blobs/${digest.replace(':', '/')}`
    const blob = (/** @type {string} */ kind, /** @type {Buffer | string} */ content) => {
      const digest = digestOf(content)
      writeFileSync(join(layout, pathOf(digest)), content)
      const mediaType = `application/vnd.oci.image.${kind}`
      return { mediaType, digest, size: Buffer.byteLength(content) }
    }
    const platform = { architecture, os: 'linux' }
    const packed = blob('layer.v1.tar+gzip', gzipSync(bytes))
    const rootfs = { type: 'layers', diff_ids: [digestOf(bytes)] }
    const image = blob(
      'config.v1+json',
      JSON.stringify({ ...platform, config: configOf(labels), rootfs }),
    )
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    const list = { schemaVersion: 2, mediaType, config: image, layers: [packed] }
    const manifest = blob('manifest.v1+json', JSON.stringify(list))
    const name = `svc-quota-monitor:${version}`
    const annotations = {
      'org.opencontainers.image.ref.name': version,
      // Of Podman, and of Docker where containerd keeps its images.
      'io.containerd.image.name': `docker.io/library/${name}`,
    }
    const [Config, Layers] = [pathOf(image.digest), [pathOf(packed.digest)]]
    const files = {
      'oci-layout': { imageLayoutVersion: '1.0.0' },
      'index.json': { schemaVersion: 2, manifests: [{ ...manifest, platform, annotations }] },
      'manifest.json': [{ Config, RepoTags: [name], Layers }],
    }
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(layout, name), JSON.stringify(content))
    const all = [...OF_ROOT, '-C', layout, ...Object.keys(files), 'blobs']
    await done(screen, 'Packing the image', 'tar', ['-cf', archive, ...SAME, ...all])
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** @param {Release['labels']} labels */
const configOf = (labels) => ({
  User: USER,
  ExposedPorts: { [PORT]: {} },
  Entrypoint: [PROGRAM],
  Volumes: { '/state': {} },
  WorkingDir: '/state',
  Labels: labels,
  Healthcheck: HEALTH,
})

/** @param {Buffer | string} content */
const digestOf = (content) => `sha256:${createHash('sha256').update(content).digest('hex')}`
