import { expect, it } from 'vitest'
import { linesOfRepository, linesOfTools } from './testing/harmless-lines.ts'
import { collectedFrom, redactText, withMarks } from './testing/redact-text.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const bytes = (text: string) => JSON.stringify([...Buffer.from(text)])

it.each([
  [
    'before its kind, as kubectl prints it',
    'yaml',
    `data:\n  cfg: ${base64('oak 14')}\nkind: Secret\n`,
  ],
  ['behind its kind', 'yaml', `kind: Secret\ndata:\n  cfg: ${base64('oak 14')}\n`],
  [
    'in a list of JSON',
    'json',
    JSON.stringify({ items: [{ data: { cfg: base64('oak 14') }, kind: 'Secret' }] }),
  ],
  ['in one line', 'yaml', `- {data: {cfg: ${base64('oak 14')}}, kind: Secret}\n`],
])('the data of a Secret goes: %s', (_, kind, text) => {
  const copy = redactText(text, { kind: kind === 'json' ? 'json' : 'text' })

  expect(copy).not.toContain(base64('oak 14'))
  expect(copy).toContain('Secret')
})

it('the words of a Secret go that is written in plain text', () => {
  const copy = withMarks(
    redactText('kind: Secret\nstringData:\n  user: root\n  config: on off\ntype: Opaque\n'),
  )

  expect(copy).toBe('kind: Secret\nstringData:\n  user: ‹›\n  config: ‹›\ntype: Opaque\n')
})

it.each([
  [
    'a line of a journal',
    'text',
    `{"PRIORITY":"6","MESSAGE":${bytes('\u001b[32mx-management-key: on\u001b[0m')},"_PID":"1"}\n`,
  ],
  ['a line without a name', 'json', `{"MESSAGE":${bytes('login of vera@example.com')}}\n`],
  ['a nested list', 'json', `[[${bytes('words of kelp')}]]`],
] as const)('a list of bytes is a text: %s', (_, kind, text) => {
  const copy = redactText(text, { kind })

  expect(copy).not.toMatch(/\d{1,3},\d{1,3},\d{1,3}/)
  expect(JSON.stringify(JSON.parse(copy))).not.toMatch(/kelp|vera|: on/)
})

it('a list of numbers that are no text stays', () => {
  const text = '{"counts":[0,12,250,3,0,7],"percent":[100,99,98.5],"at":[1763742672124]}'

  expect(redactText(text, { kind: 'json' })).toBe(text)
})

it('a HAR keeps its names, its flags and what is harmless', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer lime' },
    { value: 'mint', name: 'X-Management-Key' },
    { name: 'Accept', value: 'text/html' },
  ]
  const har = {
    log: {
      version: '1.2',
      entries: [{ request: { headers, bodySize: -1 }, sensitive: true, time: 12.5 }],
    },
  }
  const copy = JSON.parse(redactText(JSON.stringify(har), { kind: 'json' }))

  expect(copy).toEqual({
    log: {
      version: '1.2',
      entries: [
        {
          request: {
            headers: [
              { name: 'Authorization', value: expect.stringMatching(/^secret-/) },
              { value: expect.stringMatching(/^secret-/), name: 'X-Management-Key' },
              { name: 'Accept', value: 'text/html' },
            ],
            bodySize: -1,
          },
          sensitive: true,
          time: 12.5,
        },
      ],
    },
  })
})

it('JSON keeps its numbers, booleans and blanks, and loses numbers under the name of a secret', () => {
  const text =
    '{\n  "pin": 1234, "tokens": 12345678,\r\n\t"n": 9007199254740993, "ok": false, "password": true, "id": 1e3 }'

  expect(withMarks(redactText(text, { kind: 'json' }))).toBe(
    text.replace('1234,', '"‹›",').replace('9007199254740993', '"‹›"'),
  )
})

it('names of accounts in our own answers go wherever they stand', () => {
  const title = 'Team of the second window'
  const text = JSON.stringify({
    accounts: [{ accountKey: 'x', title, email: 'a@b.example' }],
    summary: `Use ${title}.`,
  })

  const known = collectedFrom(text, 'json')

  expect(redactText(text, { kind: 'json', known })).not.toMatch(/team of|second/i)
})

it('of an entry of the proxy its plan, times and loopback address stay, and who it is goes', () => {
  const entry = (own: object) =>
    JSON.stringify({ ...own, user_agent: 'codex_cli_rs/0.145.0', client_ip: '127.0.0.1' })
  const text = entry({
    auth_index: '18242ac5f7c47aea',
    name: 'codex-ana@mail.example-plus.json',
    id_token: { plan_type: 'plus', until: '2027-01-01T00:00:00+00:00', chatgpt_account_id: 'on' },
  })

  expect(withMarks(redactText(text, { kind: 'json' }))).toBe(
    entry({
      auth_index: '‹›',
      name: 'codex-‹›-plus.json',
      id_token: { plan_type: 'plus', until: '2027-01-01T00:00:00+00:00', chatgpt_account_id: '‹›' },
    }),
  )
})

it('a known value goes that lies over the border of two values of JSON', () => {
  const copy = redactText('{"kept":12,"a":"one","b":"two"}\n', { known: ['one","b":"two'] })

  expect(copy).not.toMatch(/one|two/)
})

it('the rest of a line of a log is hidden behind a name, and not looked for elsewhere', () => {
  expect(collectedFrom('auth= {"requests":12,"tokens":3400}\npassword= words of it\n')).toEqual([
    'words of it',
  ])
})

it('TOML stays TOML: values keep their quotes, and numbers get some', () => {
  const text =
    'port = 8317\nname = "kelper"\napi-keys = ["on", "kelper-2"]\nphone = 4915112345678\n[password]\nmain = "on"\n'

  expect(withMarks(redactText(text))).toBe(
    'port = 8317\nname = "‹›"\napi-keys = ["‹›", "‹›"]\nphone = "‹›"\n[password]\nmain = "‹›"\n',
  )
})

it('CSV is redacted cell by cell, by the name of its column or of a neighbour', () => {
  const copy = redactText(
    'id;password;note\r\n1;"on; off";all quiet\r\n2;;"by kelper\nand ""so"" on"\r\n',
    { kind: 'csv' },
  )
  expect(withMarks(copy)).toBe(
    'id;password;note\r\n1;"‹›";all quiet\r\n2;;"by ‹›\nand ""so"" on"\r\n',
  )
  expect(withMarks(redactText('name,value\npassword,on\nport,8317\n', { kind: 'csv' }))).toBe(
    'name,value\npassword,‹›\nport,8317\n',
  )
})

it('every piece of a document is redacted as the whole is', () => {
  const json =
    '{"a":[{"value":"on","name":"password"},{"MESSAGE":[107,101,108,112,101,114]}],"mail":"ana@mail.example"}\n'
  const csv = 'id,password\n1,"on ""and"" off"\n2,x\n'
  const text = 'password: |\n  on and off\nfrom kelper at 203.0.113.9\n'
  for (const [kind, whole] of [
    ['json', json],
    ['csv', csv],
    ['text', text],
  ] as const)
    for (const pieceLength of [1, 2, 3, 7, 20])
      expect(withMarks(redactText(whole, { kind, pieceLength }))).toBe(
        withMarks(redactText(whole, { kind })),
      )
})

/** Words and numbers of lines of which none is secret, that are still there in the copy. */
function keptShareOf(lines: readonly string[]): number {
  let words = 0
  let kept = 0
  for (const line of lines) {
    const copy: string[] = redactText(line).match(/[\p{L}\p{N}]+/gu) ?? []
    for (const word of line.match(/[\p{L}\p{N}]+/gu) ?? []) {
      words += 1
      const at = copy.indexOf(word)
      if (at >= 0) copy.splice(at, 1)
      kept += at >= 0 ? 1 : 0
    }
  }
  return kept / words
}

it('lines of tools and of our own documents can still be read', () => {
  const documents = linesOfRepository().filter((line) => /^[A-Z][^{}=<>]*\.$/.test(line))
  const tools = linesOfTools(2_000)
  const [ofDocuments, ofTools] = [keptShareOf(documents), keptShareOf(tools)]
  console.log(
    `kept: ${(100 * ofDocuments).toFixed(1)} % of documents, ${(100 * ofTools).toFixed(1)} % of lines of tools`,
  )

  expect(ofDocuments).toBeGreaterThan(0.95)
  expect(ofTools).toBeGreaterThan(0.95)
})
