import { timesAsLong } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCsvStream } from './csv-stream.ts'
import { createJsonStream } from './json-stream.ts'
import { createKnownValues } from './known-values.ts'
import { createPseudonyms } from './pseudonyms.ts'
import { createRedactor } from './redactor.ts'
import { createTextStream, type TextStream } from './text-stream.ts'

/** A secret of each kind: what must not survive, and the text it stands in. */
const JWT = `eyJhbGciOiJSUzI1NiIsImtpZCI6ImFiY2RlZjAxMjM0NTY3ODkifQ.${Buffer.from('{"email":"jwt@mail.example","n":12345}').toString('base64url')}.c2lnbmF0dXJlMTIzNDU2Nzg5MA`
const canaries: Readonly<Record<string, readonly [secret: string, text: string]>> = {
  email: ['ana.canary@mail.example', 'login of ana.canary@mail.example failed'],
  'unicode email': ['أحمد.نور@mail.example', 'login of أحمد.نور@mail.example failed'],
  'email in a file name': ['bob.canary@mail.example', 'reading codex-1a2b3c4d-bob.canary@mail.example-plus.json'],
  JWT: [JWT, `id ${JWT} end`],
  'OpenAI key': ['sk-proj-Ab3dEf6hIj9kLm2nOp5q', 'with key sk-proj-Ab3dEf6hIj9kLm2nOp5q.'],
  'Anthropic key': ['sk-ant-api03-aB1cD2eF3gH4iJ5k-_L', 'used sk-ant-api03-aB1cD2eF3gH4iJ5k-_L today'],
  'refresh token': ['rt_0a1B2c3D4e5F6g7H8i9J', 'rotated rt_0a1B2c3D4e5F6g7H8i9J now'],
  'Google key': ['AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q', 'maps AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'],
  'Google token': ['ya29.a0AfB_byC1d2E3f4G5', 'got ya29.a0AfB_byC1d2E3f4G5'],
  'GitHub token': ['ghp_A1b2C3d4E5f6G7h8I9j0', 'push by ghp_A1b2C3d4E5f6G7h8I9j0'],
  'Slack token': ['xoxb-123456789012-abcdef', 'post xoxb-123456789012-abcdef'],
  'AWS key': ['AKIAIOSFODNN7EXAMPLE', 'aws AKIAIOSFODNN7EXAMPLE ok'],
  'bearer header': ['tok.en_5up3r', 'Authorization: Bearer tok.en_5up3r'],
  'basic header': ['YW5hOnMzY3JldA==', "curl -H 'Authorization: Basic YW5hOnMzY3JldA=='"],
  cookie: ['sid=c00kie-canary', 'Cookie: sid=c00kie-canary; theme=dark'],
  'management header': ['mgmt-canary-77', 'X-Management-Key: mgmt-canary-77'],
  'refresh header': ['Zx9canaryRefresh', 'x-svc-quota-monitor-refresh-token: Zx9canaryRefresh'],
  password: ['hunter2canary', 'password=hunter2canary'],
  'URL user': ['ana:pw-canary-1', 'proxy http://ana:pw-canary-1@proxy.example:3128/'],
  'URL parameter': ['c0de-canary-88', 'GET /callback?code=c0de-canary-88&x=1'],
  PEM: ['MIIBVgIBADANBgkqhkiG9w0', '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----'],
  opaque: ['q8Zr4Lm2Xv7Ts9Bn3Kd6Hf1Jg5Wc0Py8', 'session q8Zr4Lm2Xv7Ts9Bn3Kd6Hf1Jg5Wc0Py8 began'],
  UUID: ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'account 6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
  IPv4: ['203.0.113.77', 'from 203.0.113.77 at noon'],
  IPv6: ['2001:db8::42:77', 'from 2001:db8::42:77 at noon'],
  MAC: ['00:1b:44:11:3a:b7', 'device 00:1b:44:11:3a:b7'],
  'home folder': ['anacanary', 'opened /home/anacanary/auths/a.json'],
  known: ['plain word canary', 'the key is plain word canary, it seems'],
}
const KNOWN = ['plain word canary']

const redactorOf = () => createRedactor(createKnownValues(KNOWN), createPseudonyms({ keepMap: false }))
const through = (stream: TextStream, text: string, pieceLength: number): string => {
  let out = ''
  for (let start = 0; start < text.length; start += pieceLength) out += stream.push(text.slice(start, start + pieceLength))
  return out + stream.end()
}
const filler = (length: number) => 'all quiet in the pool at this hour\n'.repeat(Math.ceil(length / 36)).slice(0, length)

/** A document of each container around one text. */
const containers: Readonly<Record<string, { readonly stream: () => TextStream; readonly around: (text: string) => string }>> = {
  text: { stream: () => createTextStream(redactorOf()), around: (text) => `before\n${text}\nafter\n` },
  json: {
    stream: () => createJsonStream(redactorOf()),
    around: (text) => JSON.stringify({ message: [text], n: 1.5, deep: { note: text } }, null, 2),
  },
  'json name': { stream: () => createJsonStream(redactorOf()), around: (text) => JSON.stringify({ apis: { [text]: { total: 3 } } }) },
  'json in json': {
    stream: () => createJsonStream(redactorOf()),
    around: (text) => JSON.stringify({ body: JSON.stringify({ error: { message: text } }) }),
  },
  jsonl: { stream: () => createJsonStream(redactorOf()), around: (text) => `{"a":1}\n${JSON.stringify({ text })}\n` },
  csv: { stream: () => createCsvStream(redactorOf()), around: (text) => `at,note\r\n1,"${text.replaceAll('"', '""')}"\r\n` },
}
const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'at a boundary': (text) => filler(96 * 1024 - 10) + text,
  'its sign in percent': (text) => text.replaceAll('@', '%40'),
  'its sign escaped': (text) => text.replaceAll('@', '\\u0040'),
  'after an escape': (text) => `line\\n${text}`,
}

describe('redaction', () => {
  const cases = Object.entries(canaries).flatMap(([kind, [secret, text]]) =>
    Object.keys(containers).flatMap((container) =>
      Object.keys(encodings).map((encoding) => [kind, container, encoding, secret, text] as const),
    ),
  )

  it('is tried with more than 200 canaries', () => expect(cases.length).toBeGreaterThan(200))

  it.each(cases)('%s in %s, %s: does not survive', (_, container, encoding, secret, text) => {
    const { stream, around } = containers[container] ?? { stream: () => createTextStream(redactorOf()), around: String }
    const document = around((encodings[encoding] ?? String)(text))
    const out = through(stream(), document, 64 * 1024)

    for (const form of [
      secret,
      secret.split('@')[0] ?? secret,
      secret.replaceAll('@', '%40'),
      secret.replaceAll('@', '\\u0040'),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    ]) {
      expect(out.includes(form)).toBe(false)
    }
    // What stands around it does.
    expect(out.length).toBeGreaterThan((document.length - text.length) / 2)
  })

  it('of known values holds in every form they are written in', () => {
    const secret = 'Ключ-canary+/=?"77'
    const redactor = createRedactor(createKnownValues([secret]), createPseudonyms({ keepMap: false }))
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret)),
      encodeURIComponent(secret),
      ...['', 'x', 'xy'].flatMap((before) => [base64(before + secret), Buffer.from(before + secret).toString('base64url')]),
    ]
    for (const form of forms) {
      const out = redactor.text(`a ${form} b`)
      expect(out, form).toContain('<secret:')
      expect(out).not.toContain(form)
    }
  })

  it('of thousands of tokens that begin alike takes no longer than their number', () => {
    const tokens = (count: number) =>
      Array.from({ length: count }, (_, index) => `eyJhbGciOiJSUzI1NiJ9.${String(index).padStart(8, 'a')}.signature`)
    const learn = (count: number) => () => createKnownValues(tokens(count))

    expect(timesAsLong({ subject: learn(4_800), neighbour: learn(300), nowMs: () => performance.now() })).toBeLessThan(100)
    expect(createKnownValues(tokens(3_000)).find(`x ${tokens(3_000)[2_999]} y`)).toHaveLength(1)
  })

  it.each([1, 7, 100, 4096])('in pieces of %i characters is the same as in one', (pieceLength) => {
    const text = Object.values(canaries)
      .map(([, line]) => line)
      .join('\n')
    const pseudonyms = createPseudonyms({ keepMap: false })
    const stream = () => createTextStream(createRedactor(createKnownValues(KNOWN), pseudonyms))

    expect(through(stream(), text, pieceLength)).toBe(through(stream(), text, text.length))
  })

  it('leaves at least 99 of 100 harmless lines as they are', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => harmless[index % harmless.length]?.(index) ?? '')
    const redactor = redactorOf()
    const changed = lines.filter((line) => redactor.text(line) !== line)

    expect(changed.slice(0, 5)).toEqual([])
    expect(changed.length).toBeLessThanOrEqual(100)
  })

  it('again changes nothing more', () => {
    for (const { stream, around } of Object.values(containers)) {
      const once = through(
        stream(),
        around(
          Object.values(canaries)
            .map(([, text]) => text)
            .join(' | '),
        ),
        1e6,
      )
      expect(through(stream(), once, 1e6)).toBe(once)
    }
  })

  it('keeps equal what is equal, and links no two runs', () => {
    const one = redactorOf()
    const [first, second] = one.text('a@mail.example and a@mail.example').split(' and ')

    expect(first).toBe(second)
    expect(first).toMatch(/^user-[0-9a-f]{6}@redacted\.invalid$/)
    expect(redactorOf().text('a@mail.example')).not.toBe(first)
  })

  it('of JSON keeps every document readable, and everything harmless in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (value, pieceLength) => {
        const text = JSON.stringify(value, null, 1)
        JSON.parse(through(createJsonStream(redactorOf()), text, pieceLength))
      }),
      { numRuns: 300 },
    )
    const kept = '{ "n": 1.50e3, "tokens": 18422, "source":"live", "text": "caf\\u00e9" , "list":[ ] }\n'
    expect(through(createJsonStream(redactorOf()), kept, 3)).toBe(kept)
  })

  it('of JSON goes by the names of members, also around lists and objects', () => {
    const document = {
      access_token: 'short1',
      headers: { Cookie: ['a', 'b=c'] },
      'X-Forwarded-For': '10.9.8.7',
      user: { email: 'odd' },
      password: { value: 'p' },
    }
    const out = JSON.parse(through(createJsonStream(redactorOf()), JSON.stringify(document), 5))

    expect(JSON.stringify(out)).not.toMatch(/short1|b=c|10\.9|"odd"|"p"/)
    expect(out.headers.Cookie).toHaveLength(2)
  })

  it('of CSV keeps rows and columns, and goes by their names', () => {
    const csv = 'at,API_Key,"note, long"\r\n1,abc,"x ""y"", ana@mail.example"\r\n2,"a;b\nc",plain\r\n'
    const out = through(createCsvStream(redactorOf()), csv, 4)

    expect(out).toMatch(
      /^at,API_Key,"note, long"\r\n1,<secret:[0-9a-f]{6}>,"x ""y"", user-[0-9a-f]{6}@redacted\.invalid"\r\n2,"<secret:[0-9a-f]{6}>",plain\r\n$/,
    )
  })

  it.each([
    ['letters', 'a'],
    ['signs of an address', '@'],
    ['beginnings of a token', 'ey'],
    ['keys without an end', 'sk-'],
    ['opaque text', 'A1b2'],
    ['beginnings of a key', '-----BEGIN A-----'],
    ['escapes', '\\n%41'],
    ['addresses', '1.1.1.1:'],
    ['names of secrets', 'token='],
    ['schemes', 'http://a:'],
  ])(
    'takes a line of 3 MB of %s in linear time',
    (_, unit) => {
      const passing = (length: number) => () => through(createTextStream(redactorOf()), unit.repeat(length / unit.length), 256 * 1024)

      expect(timesAsLong({ subject: passing(1_600_000), neighbour: passing(100_000), nowMs: () => performance.now() })).toBeLessThan(100)
    },
    60_000,
  )
})

const harmless: readonly ((index: number) => string)[] = [
  (index) =>
    `2026-11-21T17:31:${String(index % 60).padStart(2, '0')}.124Z info  snapshot source=live health=good accounts=${index} routable=14`,
  (index) => `GET /api/v1/stats/series?range=24h&group=account&top=${index % 20} 200 ${index} ms`,
  () => '    at Object.openHistory (/usr/lib/node_modules/svc-quota-monitor/dist/chunk-DYPSGFH5.js:120:14)',
  (index) => `{"requests":${index},"tokens":${index * 1000},"failed":0,"t":"2026-11-21T17:30:00+00:00"}`,
  () => 'The password is required, and the token is missing: see docs/security.md.',
  () => 'listening url=http://127.0.0.1:4515 version=0.1.0 zone=Europe/Prague upstream=http://localhost:8317',
  (index) => `| account | 5h | week |\n| ${index} | 41 % | 60 % |`,
  () => 'import { createWireText, type StatusContext } from "@svc/views"',
  () => 'a-rather-long-name-of-a-css-class-that-goes-on-and-on sk-spinner-circle task-force-one',
  () => 'Kernel 6.1.0-28-amd64, glibc 2.36, SQLite 3.53.2, node v20.20.2, build 20261121',
]
