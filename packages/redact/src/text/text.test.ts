import { describe, expect, it } from 'vitest'
import { collectedFrom, redactText, withMarks } from '../testing/redact-text.ts'

const shown = (text: string) => withMarks(redactText(text))

describe('text stays that is known to be harmless', () => {
  it.each([
    '2026-11-21T17:31:12.124Z info  snapshot source=live health=good accounts=14 failing=""',
    'GET /api/v1/stats/series?range=24h&group=account&top=12 200 3 ms',
    '[GIN] 2026/11/20 - 10:12:13 | 200 |   12.345ms |       127.0.0.1 | GET      "/v0/management/auth-files"',
    '::1 - - [21/Nov/2026:17:31:12 +0000] "GET /metrics HTTP/1.1" 200 12 "-" "Prometheus/2.42.0"',
    '-rw-r--r-- 1 root root 12 Nov 21 17:31 /etc/svc-quota-monitor/config.toml',
    'listening url=http://127.0.0.1:4515 version=0.1.0 upstream=http://localhost:8317',
    'The password is required, and the token is missing: see docs/security.md.',
    'dial tcp [::1]:8317: connect: connection refused (ECONNREFUSED)',
    'evaluated evaluateMs=27.4 encodeMs=100.8 gatewayOk=true rate=1.7e+09 wait=1m30.5s size=12.5MiB',
    'models gpt-5.5 claude-opus-4-1-20250805 gemini-2.5-flash-lite, windows 5h/7d, p95 of 5xx',
    'process_resident_memory_bytes 124423004161',
    'max_tokens: 12, total_tokens: 36, token_type: bearer, expires_in: 3600',
    'weekly percent × this factor — “used up”, 12→13, ▁▂▃',
    'body="first\\nsecond\\tthird" range%3D24h%26group%3Daccount',
    'management_key_file = "/run/credentials/management-key"',
    'access-control-allow-headers: Content-Type, X-Requested-With',
    '无法连接到。',
  ])('%s', (line) => {
    expect(redactText(line)).toBe(line)
  })
})

describe('text goes that is not known', () => {
  it.each([
    ['mail ana@mail.example, please', 'mail ‹›, please'],
    ['support.team@mail.example', '‹›'],
    ['from 203.0.113.9:51234 and fe80::1ff:fe23:4567:890a', 'from ‹›:51234 and ‹›'],
    ['id 6f9619ff-8b86-4d01-b42d-00cf4fc964ff ok', 'id ‹› ok'],
    ['/home/kelper/.config', '/home/‹›/.config'],
    ['C:\\Users\\Kelper\\x', 'C:\\Users\\‹›'],
    ['said by Zoë Lefèvre', 'said by ‹› ‹›'],
    ['王伟 says', '‹› says'],
    [
      'https://hooks.example/services/T0/B1/abcdefghij0123456789',
      'https://hooks.example/services/‹›',
    ],
    ['key aGVsbG8+d29ybGQ/to+cd==', 'key ‹›=='],
    ['found a.b-C=1/x!q here', 'found ‹› here'],
    ['call +4915112345678', 'call +‹›'],
    ['oak-leaf-14', '‹›'],
    ['pin 1x6w8s, not 2d4h30m', 'pin ‹›, not 2d4h30m'],
    ['pass JHK07v]?%~~ 7nsqb0 ok', 'pass ‹› ok'],
    ['pass BR2MlV@ /&#!mpjzvl ok', 'pass ‹› ok'],
    ['pass 5xs6Zk &quot;,++$c3qn0v ok', 'pass ‹› ok'],
    ['id 072d5044.42884441.671275e2.9b0433c8', 'id ‹›'],
    ['id 072dff44.4288444d.9b0433c8', 'id ‹›'],
    ['of Kelper"), Tamsin', 'of ‹›"), ‹›'],
    ['q: %6b%65%6c%70', 'q: ‹›'],
    ['aa:bb:cc:dd:ee:ff', '‹›'],
    ['password +^1=S5%4m&S$xV ok', 'password +^‹› ok'],
    ['smtpPass,+^1=S5%4m&S$xV', '‹›'],
    ['pass 5h^now&3=qZr~7m ok', 'pass ‹› ok'],
    ['pass 12*4m=S5+kVq ok', 'pass ‹› ok'],
    ['pass kVq&S5=4m!12 ok', 'pass ‹› ok'],
    ['pass on=4m%zS5&xVq ok', 'pass ‹› ok'],
    ['pass @1.S5:4m-xVq/7 ok', 'pass @‹› ok'],
    ['4d7444d22bc687d2 and client-9f2c41ab', '‹› and client-‹›'],
  ])('%s', (line, expected) => {
    expect(shown(line)).toBe(expected)
  })

  it.each([
    ['a list of bytes', `got ${[...Buffer.from('birch oak')].join(', ')}`, 'got ‹›'],
    [
      'bytes with blanks',
      `got ${Buffer.from('words of a key')
        .toString('hex')
        .replace(/..(?=.)/g, '$& ')}`,
      'got ‹›',
    ],
    [
      'a dump',
      '00000000  77 6f 72 64 73 20 6f 66  20 61 20 6b 65 79 0a     |words of a key.|',
      '‹›',
    ],
    ['letters apart', 'it is w o r d s o f a k e y then', 'it is ‹› then'],
  ])('written as %s', (_, line, expected) => {
    expect(shown(line)).toBe(expected)
  })

  it('has one pseudonym for one value, however it is written', () => {
    const [plain, percent, escaped] = redactText(
      `ana@bücher.example\nemail=${encodeURIComponent('ana@bücher.example')} x\nsaid "ana@b\\u00fccher.example" x\n`,
    ).match(/user-\w{12}/g) as string[]

    expect([percent, escaped]).toEqual([plain, plain])
  })

  it('keeps the format of names of auth files', () => {
    expect(shown('codex-1a2b3c4d-ana@mail.example-plus.json')).toBe('codex-‹›-‹›-plus.json')
  })

  it('does not change when it is redacted again', () => {
    const once = redactText(
      'mail ana@mail.example, password: oak tree, from kelper\nDB_PASS="x y"\n',
    )

    expect(redactText(once)).toBe(once)
  })
})

describe('what touches a known value goes with it', () => {
  it.each([
    ['value=RVh9Ky%27*%2F%3D%3E%5C430141', 'value=‹›'],
    ['value=430141%27*%2F%3D%3ERVh9Ky x', 'value=‹› x'],
    ['got RVh9Ky\\u0027*/&#61;9922 x', 'got ‹› x'],
    ['RVh9Ky=12 RVh9Ky:8317 RVh9Ky-window', '‹›=12 ‹›:8317 ‹›-window'],
    ['/v1/RVh9Ky/usage?limit=20', '/v1/‹›/usage?limit=20'],
  ])('%s', (line, expected) => {
    expect(withMarks(redactText(line, { known: ['RVh9Ky'] }))).toBe(expected)
  })
})

describe('the name of a secret hides its whole value', () => {
  it.each([
    ['password: correct words here', 'password: ‹›'],
    ['password = "correct words"', 'password = "‹›"'],
    ["PGPASSWORD='on off' psql -h db", "PGPASSWORD='‹›' psql -h db"],
    ['run --api-key on --fast', 'run --api-key ‹› --fast'],
    ['GET /cb?token=on&code=off', 'GET /cb?token=‹›&code=off'],
    ['Authorization: Bearer on', 'Authorization: Bearer ‹›'],
    ['> Cookie: theme=dark; sid=on', '> Cookie: ‹›'],
    ['http://admin:open@proxy.example:3128/', 'http://‹›@proxy.example:3128/'],
    ['{password: on, user: off}', '{password: ‹›, user: off}'],
    ['<password>on</password>', '<password>‹›</password>'],
    ['<add key="password" value="on"/>', '<add key="password" value="‹›"/>'],
    ["['password' => 'on']", "['password' => '‹›']"],
    ['s:8:"password";s:2:"on";', 's:8:"password";s:2:"‹›";'],
    ['* **password**: `on`', '* **password**: `‹›`'],
    ['| **password** | on |', '| **password** | ‹› |'],
    ['proxy_set_header X-Management-Key "on";', 'proxy_set_header X-Management-Key "‹›";'],
    ['machine h login admin password on', 'machine h login admin password ‹›'],
    ['api-keys = ["on", "off"]', 'api-keys = ["‹›", "‹›"]'],
    [
      'login \u001b[36mpassword\u001b[0m=\u001b[32mon\u001b[0m port=1',
      'login \u001b[36mpassword\u001b[0m=\u001b[32m‹›\u001b[0m port=1',
    ],
    ['pin = 1234', 'pin = "‹›"'],
    ['密码: on', '密码: ‹›'],
    ['dbPassword: on', 'dbPassword: ‹›'],
    ['  "token": "say \\"on\\" now", "n": 1', '  "token": "‹›", "n": 1'],
  ])('%s', (line, expected) => {
    expect(shown(line)).toBe(expected)
  })

  it.each([
    [
      'a list of YAML',
      'password:\n  - on\n  - off\nport: 1\n',
      'password:\n  - ‹›\n  - ‹›\nport: 1\n',
    ],
    [
      'a shallow list',
      'tokens:\n  a: 1\npassword:\n- on\nport: 1\n',
      'tokens:\n  a: 1\npassword:\n- ‹›\nport: 1\n',
    ],
    [
      'a block',
      'password: |\n  on and off\n  again\nport: 1\n',
      'password: |\n  ‹›\n  ‹›\nport: 1\n',
    ],
    [
      'a map',
      'stringData:\n  config: on\n  user: off\ntype: Opaque\n',
      'stringData:\n  config: ‹›\n  user: ‹›\ntype: Opaque\n',
    ],
    [
      'a list of TOML',
      'password = [\n  "on",\n]\nport = 1\n',
      'password = [\n  "‹›",\n]\nport = 1\n',
    ],
    [
      'a table of TOML',
      '[password]\nmain = "on"\n\n[other]\nmain = "on"\n',
      '[password]\nmain = "‹›"\n\n[other]\nmain = "on"\n',
    ],
    [
      'the value of a pair',
      '- name: DB_PASSWORD\n  value: on\n- name: A\n  value: on\n',
      '- name: DB_PASSWORD\n  value: ‹›\n- name: A\n  value: on\n',
    ],
    [
      'the line behind a key',
      '<key>password</key>\n<string>on</string>\n',
      '<key>password</key>\n<string>‹›</string>\n',
    ],
    [
      'a part of a form',
      'form-data; name="password"\r\n\r\non\r\n--b\r\n',
      'form-data; name="password"\r\n\r\n‹›\r\n--b\r\n',
    ],
    [
      'a table of Markdown',
      '| user | password |\n| --- | --- |\n| x | +^1=S5%4m&S$xV |\n| y | on \\| off |\n\n| x | on |\n',
      '| user | password |\n| --- | --- |\n| x | ‹› |\n| y | ‹› |\n\n| x | on |\n',
    ],
    [
      'a table with several columns',
      '| API key | port | **Password** |\n|:--|--:|---|\n| on | 8317 | `1=S5` |\n| - | 8318 | |\n',
      '| API key | port | **Password** |\n|:--|--:|---|\n| ‹› | 8317 | `‹›` |\n| - | 8318 | |\n',
    ],
    [
      "a table of a database's shell",
      'select password from login;\n+---+----+\n| id | password |\n+---+----+\n| 1 | on 5m |\n+---+----+\n| 2 | off |\n',
      'select password from login;\n+---+----+\n| id | password |\n+---+----+\n| 1 | ‹› |\n+---+----+\n| 2 | ‹› |\n',
    ],
    [
      'a table without bars around it',
      ' id | password \n----+------\n  1 | on 5m\n    | off\n(2 rows)\n',
      ' id | password \n----+------\n  1 | ‹›\n    | ‹›\n(2 rows)\n',
    ],
    [
      'an argument',
      'args:\n  - --password\n  - on\n  - --fast\n',
      'args:\n  - --password\n  - ‹›\n  - --fast\n',
    ],
  ])('in the lines below: %s', (_, text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  // biome-ignore lint/suspicious/noTemplateCurlyInString: as files have it.
  it.each(['password: ', 'token = null', 'api_key: ${API_KEY}', 'password=***', 'token: unset'])(
    'and %s has none',
    (line) => {
      expect(redactText(line)).toBe(line)
    },
  )

  it('and makes it known, so that it goes elsewhere as well', () => {
    expect(
      collectedFrom('password: "correct horse"\napi-keys: [maple17, x]\nport: 8317\n'),
    ).toEqual(['correct horse', 'maple17'])
    expect(collectedFrom('management_key: management-key\npassword: on\n')).toEqual([])
  })
})

describe('a long line', () => {
  it('is redacted as it arrives, in time that grows with it', () => {
    const line = `${'all quiet '.repeat(60_000)}Kelp-9182xx${' all quiet'.repeat(60_000)}`
    const copy = redactText(line, { known: ['quiet Kelp-9182xx all'] })

    expect(withMarks(copy).length).toBe(line.length - 'quiet Kelp-9182xx all'.length + 2)
    expect(copy).not.toContain('9182')
  })

  it('of one word, of blanks or of signs takes no longer', () => {
    for (const sign of [
      'a',
      ' ',
      '"',
      '\\',
      '@',
      '%',
      '1,',
      '=',
      '- ',
      '0a ',
      'a.',
      '%40',
      'token:',
    ])
      expect(redactText(sign.repeat(Math.ceil(60_000 / sign.length))).length).toBeGreaterThan(0)
  }, 60_000)
})
