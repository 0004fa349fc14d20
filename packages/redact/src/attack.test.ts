import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { containers, secretNames } from './testing/containers.ts'
import { encoders } from './testing/encoders.ts'
import { createRandom, type Random } from './testing/random.ts'
import { redactFolder } from './testing/redact-folder.ts'
import { coreOf, passwords, tokens } from './testing/secrets.ts'

/** `npm run attack:redact` plants 100,000. */
const PLANTS = Number(process.env.ATTACK_PLANTS ?? (process.env.TEST_SIZE === 'full' ? 500 : 150))
/** Others in every run; `ATTACK_SEED` repeats one. */
const SEED = Number(process.env.ATTACK_SEED ?? randomInt(1_000_000))
const PLANTS_A_RUN = 250

const folder = mkdtempSync(join(tmpdir(), 'svc-attack-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Plant {
  readonly what: string
  readonly file: string
  readonly secret: string
  /** As it was written into a file. */
  readonly written: string
}

const FILLER = [
  'snapshot source=live health=good accounts=14 routable=12',
  '{"requests":12,"tokens":3400,"failed":0}',
  'GET /api/v1/status 200 3 ms',
  '',
]

/** Plants a secret by its name in one file, or hands it to the configuration, and writes it in another spelling into a second. */
function plantOne(
  random: Random,
  index: number,
  files: Map<string, string>,
  configured: string[],
): readonly Plant[] {
  const isToken = random.int(3) === 0
  const kind = random.pick(Object.keys(isToken ? tokens : passwords))
  const secret = (isToken ? tokens : passwords)[kind]?.(random) ?? ''
  const add = (file: string, text: string) => files.set(file, text)
  const plants: Plant[] = []
  let source = 'the configuration'
  const way = random.int(isToken ? 3 : 2)
  if (way === 2) {
    const text = random.pick([
      `found ${secret} here`,
      `"${secret}",`,
      `(${secret})`,
      `id=${secret}`,
      `see https://h.example/a/${secret}`,
      `- ${secret}`,
    ])
    add(`${index}.log`, `${random.pick(FILLER)}\n${text}\n`)
    return [{ what: `${kind} in text`, file: `${index}.log`, secret, written: secret }]
  }
  if (way === 0) {
    const container = random.pick(
      Object.keys(containers).filter((name) => containers[name]?.takes?.(secret) ?? true),
    )
    const name = random.pick(secretNames)
    const { file, write } = containers[container] ?? { file: 'txt', write: () => '' }
    source = container
    add(`${index}.${file}`, write(name, secret))
    plants.push({
      what: `${kind} under ${name} in ${container}`,
      file: `${index}.${file}`,
      secret,
      written: secret,
    })
  } else configured.push(secret)
  const encoder = random.pick(Object.keys(encoders))
  const written = encoders[encoder]?.(secret) ?? secret
  const [file, around] = random.pick([
    [`${index}-b.log`, (text: string) => `${random.pick(FILLER)} ${text} ${random.pick(FILLER)}\n`],
    [`${index}-b.txt`, (text: string) => `${text}\n`],
    [`${index}-b.json`, (text: string) => JSON.stringify({ note: `before ${text} after` })],
    [`${index}-b.csv`, (text: string) => `id,note\n1,"${text.replaceAll('"', '""')}"\n`],
    [`${index}-b.yaml`, (text: string) => `note: >\n  before ${text}\n`],
  ] as const)
  add(file, around(written))
  plants.push({ what: `${kind} from ${source} as ${encoder}`, file, secret, written })
  return plants
}

it(`leaves none of ${PLANTS} secrets, of every kind, in every container and spelling (ATTACK_SEED=${SEED})`, async () => {
  const left: string[] = []
  let planted = 0
  for (let run = 0; planted < PLANTS; run += 1) {
    const random = createRandom(SEED * 100_000 + run)
    const input = join(folder, `in-${run}`)
    const output = join(folder, `out-${run}`)
    mkdirSync(input)
    const files = new Map<string, string>()
    const configured: string[] = []
    const plants: Plant[] = []
    for (let index = 0; index < PLANTS_A_RUN; index += 1)
      plants.push(...plantOne(random, index, files, configured))
    planted += plants.length
    for (const [name, text] of files) writeFileSync(join(input, name), text)
    const { entries } = await redactFolder({ inputs: [input], output }, configured)
    const copies = new Map<string, string>()
    for (const entry of entries) {
      if (entry.status === 'redacted')
        copies.set(entry.file, readFileSync(join(output, entry.file), 'utf8'))
      else
        left.push(
          `${entry.file}: ${entry.why} (${plants.filter(({ file }) => entry.file.endsWith(`/${file}`)).map(({ what, written }) => `${what}: ${written}`)})`,
        )
    }
    for (const { what, file, secret, written } of plants) {
      const copy = copies.get(`in-${run}/${file}`)
      if (copy === undefined) continue
      const traces = [
        secret,
        written,
        coreOf(written),
        ...(secret.length > 12 ? [coreOf(secret)] : []),
      ]
      if (traces.some((trace) => copy.toLowerCase().includes(trace.toLowerCase())))
        left.push(`${what}: ${written} in ${copy}`)
    }
    rmSync(input, { recursive: true })
    rmSync(output, { recursive: true })
  }
  console.log(`ATTACK_SEED=${SEED}: ${planted} planted, ${left.length} left`)
  expect(left.slice(0, 20)).toEqual([])
}, 3_600_000)
