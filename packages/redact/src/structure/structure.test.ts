import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactText } from '../testing/redact-text.ts'

const S = 'zz9canary7'
const B64 = Buffer.from(`ana:${S}`).toString('base64')

describe('a secret by its name', () => {
  it.each([
    ['in a list of JSON', `api-keys: ["${S}","b-${S}"]`],
    ['in items of YAML', `api-keys:\n  - ${S}\n  - "x${S}"\nport: 8317\n`],
    ['in items as deep as their name', `api-keys:\n- ${S}\nport: 8317\n`],
    ['in a block of YAML', `password: |\n  ${S}\n  two ${S}\nport: 1\n`],
    ['in a block, behind the sign of an anchor', `client_secret: |\n  &${S}\nport: 1\n`],
    ['in a block, in quotes', `client_secret: |\n  '!${S}'\nport: 1\n`],
    [
      'in a block, behind the sign of a comment',
      `client_secret: |\n  a\n\n  # ${S}\n  ;${S}\nport: 1\n`,
    ],
    ['in a block of a secret', `credentials:\n  a: |\n    # ${S}\n  b: "${S}"\nport: 1\n`],
    ['in a folded block', `password: >-\n  ${S}\nport: 1\n`],
    ['in a flow list over lines', `api-keys: [\n  ${S},\n  "b ${S}",\n]\n`],
    ['as secret-key', `secret-key: ${S}`],
    ['as PASS', `PASS=${S}`],
    ['as DB_PASS, with a blank', `DB_PASS='${S} x'`],
    ['as SMTP_PASS, with a comment', `SMTP_PASS="${S} y" # c`],
    ['as pwd', `pwd: ${S}`],
    ['as AUTH', `AUTH=${S}`],
    ['as CREDENTIALS', `CREDENTIALS=${S}`],
    ['as words', `passphrase: correct ${S} staple`],
    ['for curl', `curl -u ana:${S} https://h`],
    ['for curl, without a blank', `curl -uana:${S} h`],
    ['for curl, in quotes', `curl --user 'ana:${S} x' h`],
    ['in a header of curl', `curl -H 'x-management-key: ${S}' http://h`],
    ['in a header of curl, with blanks', `curl -H 'x-management-key: two words ${S}' http://h`],
    ['behind a flag', `prog --password ${S} x`],
    ['behind a flag, over lines', `prog \\\n  --password \\\n  ${S} x`],
    ['before a command', `PGPASSWORD=${S} psql`],
    ['for mysql', `mysql -p${S} -u x`],
    ['for sshpass', `sshpass -p '${S}' ssh h`],
    ['from standard input', `echo ${S} | docker login --password-stdin`],
    ['in a list of arguments', `["prog","--password","${S}"]`],
    ['in a list of arguments of Python', `['-u', 'ana:${S}']`],
    ['in an element', `<password>${S}</password>`],
    ['in an element inside of one', `<credentials><main>${S}</main></credentials>`],
    ['in an element with CDATA', `<password><![CDATA[${S}]]></password>`],
    ['in an attribute', `<a password="${S}"/>`],
    ['in a pair of attributes', `<add key="ApiKey" value="${S}"/>`],
    ['in a field of a page', `<input type="hidden" name="csrf_token" value="${S}">`],
    ['in a property list', `<key>Password</key>\n <string>${S}</string>`],
    ['in a property', `<property><name>db.password</name><value>${S}</value></property>`],
    ['in JSON in a log', `msg={"access_token":"${S}"}`],
    ['in escaped JSON in a log', `{\\"access_token\\":\\"${S}\\"}`],
    ['in a URL', `?token=${S}&x=1`],
    ['in the user of a URL', `https://ana:${S}@h.example/`],
    ['in a cookie', `Cookie: sid=${S}; theme=dark`],
    ['in a cookie that is set', `Set-Cookie: a=${S}; Path=/`],
    ['in basic authorization', `Authorization: Basic ${B64}`],
    ['in a pair of YAML', `- name: DB_PASSWORD\n  value: ${S}\n- name: X\n  value: plain\n`],
    ['in a pair of YAML, the value first', `  value: ${S}\n  name: DB_PASSWORD\n`],
    ['in a section', `[secrets]\na = "${S}"\nb='${S}'\n[other]\nc="d"\n`],
    ['in a secret of Kubernetes', `kind: Secret\ndata:\n  foo: ${S}\n`],
    ['in a table', `| user | password |\n|---|---|\n| ana | ${S} |\n`],
    ['in a table of a client', ` id | api_key\n----+----------\n  1 | ${S}\n`],
    ['in a statement', `INSERT INTO u (id, password) VALUES (1,'${S}'),(2,'x${S}');`],
    ['in a dump', `CREATE TABLE u (id int, pass text);\nINSERT INTO u VALUES(1,'${S}');`],
    ['in a dump of Postgres', `COPY u (id, password) FROM stdin;\n1\t${S}\n\\.\n`],
    ['in a netrc', `machine h login ana password ${S}`],
    ['in a pgpass', `db.example:5432:main:ana:${S}`],
    ['in Java', `String password = new String("${S}");`],
    ['in Python', `os.environ['API_KEY'] = '${S}'`],
    ['in PHP', `"password" => "${S}"`],
    ['in the output of PHP', `[token] => ${S}`],
    ['in Go', `{Token:${S} User:x}`],
    ['of Markdown', `* **password**: ${S}`],
    ['of Markdown, with the colon inside', `- **API key:** ${S}`],
    ['of Markdown, in its other sign', `__API key__: ${S}\nnext`],
    ['of Markdown, as code', `- **\`password\`**: \`two ${S}\`\n`],
    ['of Markdown, in a row', `| **password** | ${S} |\n| a | b |\n`],
    ['that looks like a name', `| **token** | PW4W79${S} |\n| a | b |\n`],
    ['in a row without a head', `| password | ${S} |\n`],
    ['in what PHP serialises', `s:19:"MANAGEMENT_PASSWORD";s:13:"${S} x"`],
    ['with a quote of its own in what PHP serialises', `s:5:"token";s:14:"ab"c ${S.slice(1)}";`],
    ['in escaped quotes of what PHP serialises', `s:5:\\"token\\";s:10:\\"${S}\\";`],
    ['in a dump of a variable', `["password"]=>\n  string(10) "${S}"\n`],
    ['in a dump of a hidden variable', `["token":"A\\B":private]=>\n  string(10) "${S}"\n`],
    ['in a dump of a protected variable', `["token":protected]=>\n  string(10) "${S}"\n`],
    ['in prose', `password is ${S}`],
    ['in SQL', `IDENTIFIED BY '${S}'`],
    ['in a unit', `Environment="API_TOKEN=${S}"`],
    ['in a call', `creds = dict(password='${S}')`],
    ['in a call that is assigned to a token', `token = get(password="${S}")`],
    ['in a call behind another argument', `session = login(u, token="${S}")`],
    ['as the second text of a call', `auth = HTTPBasicAuth('ana', '${S}')`],
    ['in a call that sets it', `client.setPassword("${S}")`],
    ['in a call that sets a user and it', `req.SetBasicAuth("u","${S}")`],
    ['in front of an equals sign of its own', `DB_PASS==${S}`],
    ['in an exported variable with a sign in front', `export DB_PASS==${S}`],
    ['in brackets of a variable', `DB_PASS=a(${S})`],
    ['behind a backslash and a letter', `DB_PASS=Kelp\\n${S}`],
    ['behind a backslash in YAML', `db_password: Kelp\\r${S}`],
    ['behind a percent sign', `prog --password=Quartz%26${S}`],
    ['behind an angle bracket in a header', `X-Management-Key: Kelp<${S}`],
    ['behind another angle bracket', `X-Management-Key: >${S}`],
    ['behind a semicolon', `DB_PASS=Kelp ;${S}`],
    ['behind what looks like a closing tag', `DB_PASS=Kelp</${S}`],
    ['behind a comma of a flag', `prog --password=Kelp,${S} x`],
    ['behind a sign that a shell escapes', `prog --password Kelp\\;${S} x`],
    ['as an item behind its flag', `args:\n  - --token\n  - ${S}\n`],
    ['as an item in quotes behind its flag', `args:\n- "--token"\n- "${S}"\n`],
    ['as an item that begins with a dash', `args:\n  - --token\n  - "-pA9${S}#A"\n`],
    ['as an argument that begins with a dash', `{"argv":["x","--token","-pA9${S}#A"]}`],
    [
      'in a line behind the line of its flag',
      `Args:\n      --password\n      ${S}\n    State: x\n`,
    ],
    ['in a list without quotes', `[--token, ${S}]`],
    ['in a map on one line', `- {name: API_TOKEN, value: ${S}}`],
    ['in a map on one line, the value first', `- {value: ${S}, name: API_TOKEN}`],
    ['in JSON over lines in a log', `x {"name":"DB_PASS",\n  "value":"${S}"}`],
    ['for curl, behind other letters', `curl -sSu admin:${S} h`],
    ['for a server of mysql', `mysqld -p${S}`],
    ['for httpie', `http -a u:${S} h`],
    ['for htpasswd', `htpasswd -bc f u ${S}`],
    ['for smbclient', `smbclient //h/s -U u%${S}`],
    ['in a constant of PHP', `define('DB_PASSWORD','${S}')`],
    ['as a fallback', `os.environ.get("TOKEN","${S}")`],
    ['as a fallback behind bars', `process.env.TOKEN || "${S}"`],
    ['as a fallback behind a word', `os.getenv("TOKEN") or "${S}"`],
    ['in a header that is set in code', `req.Header.Set("X-Management-Key","${S}")`],
    ['in a tuple', `[('X-Api-Key','${S}')]`],
    ['in a list of two', `[['x-management-key','${S}']]`],
    ['in raw headers', `rawHeaders: [\n  'x-management-key',\n  '${S}',\n]`],
    ['in a variable of Go', `var Token string = "${S}"`],
    ['in a variable of TypeScript', `const token: string = "${S}"`],
    ['as the default of a flag', `add_argument('--password', default='${S}')`],
    ['in a list of Go', `{APIKeys:[]string{"${S}","b${S}"}}`],
    ['in a printed map of Go', `{Passwords:map[a:X b:${S}]}`],
    ['in a header of nginx', `proxy_set_header X-Management-Key ${S};`],
    ['in a header of Caddy', `header_up X-Management-Key ${S}`],
    ['in a variable of Apache', `SetEnv DB_PASSWORD ${S}`],
    ['in a variable of Docker', `ENV DB_PASS ${S}`],
    ['in a file of redis', `requirepass ${S}`],
    ['in an account of redis', `user default on >${S} ~* +@all`],
    ['in a variable of fish', `set -gx TOKEN ${S}`],
    ['in a variable of a C shell', `setenv TOKEN ${S}`],
    ['in a header of haproxy', `http-request set-header X-Api-Key ${S}`],
    ['in a user of haproxy', `user admin insecure-password ${S}`],
    ['in settings of npm', `npm config set //r/:_authToken ${S}`],
    ['in settings of aws', `aws configure set aws_secret_access_key ${S}`],
    ['alone on a line behind its name', `password        ${S}`],
    ['in a statement that sets it', `SET PASSWORD FOR u = '${S}'`],
    ['in a variable of HCL', `variable "password" {\n  default = "${S}"\n}`],
    [
      'in fields of a page on one line',
      `<input name="password" value="A"><input name="token" value="${S}">`,
    ],
    [
      'in elements that are not closed',
      `<add key="password" value="A"><add key="token" value="${S}">`,
    ],
    ['in an attribute without quotes', `<input value=${S} name=password>`],
    ['in the key of a query', `GET /v0/x?key=canary HTTP/1.1`],
    ['in the signature of a query', `https://h/x?a=b&sig=canary`],
    ['in the state of a query, and a letter', `https://h/x?state=canary&k=canary`],
    ['behind a refusal', `invalid api key: ${S}`],
    ['behind a refusal without a colon', `bad password ${S}`],
    ['behind a key that is provided', `Incorrect API key provided: ${S}.`],
    ['in a sentence with a colon', `Your password is: ${S}`],
    ['behind the name of a key in words', `management key is ${S}`],
    ['in a table with commas', `id,name,password\n1,x,${S}\n2,y,Maple.canary\n`],
    ['in a table with semicolons', `sep=;\nid;password;x\n1;Maple.canary;2\n`],
    ['in a table with tabs', `id\tpassword\n1\tMaple.canary\n`],
    ['in a table with quotes and a mark', `\ufeff"id","password"\r\n"1","Maple.canary"\r\n`],
    ['in a table with carriage returns', `id,password\r1,Maple.canary\r2,x,Maple.canary\r`],
    [
      'in a table inside of a text',
      `before it\n\nuser,token\na,Maple.canary\nb,"x\ny",Maple.canary\n\nafter, it\n`,
    ],
    ['behind a value that ends with a backslash', `password="ab9x\\\\" token="${S}"`],
    ['behind one in single quotes', `password='ab9x\\\\', token='${S}'`],
    ['behind one in an element', `<a password="ab9x\\\\"/><b token="${S}"/>`],
    [
      'behind one in escaped quotes',
      `msg="{\\"password\\":\\"ab9x\\\\\\\\\\",\\"token\\":\\"${S}\\"}"`,
    ],
    ['in quotes that are not closed', `password: "abc ${S}`],
    ['in three quotes', `password = """\n${S}\n"""\n`],
    ['in a connection string', `Server=h;User Id=a;Password=${S};x=y`],
    ['in an encoded form', `client%5Fsecret%3D${S}%26a`],
    ['in a part of a form', `Content-Disposition: form-data; name="password"\r\n\r\n${S}\r\n`],
    ['in a key in armour', `-----BEGIN PRIVATE KEY-----\n${S}\nabc=\n-----END PRIVATE KEY-----\nx`],
    ['in a key that is cut off', `-----BEGIN PRIVATE KEY-----\n${S}\n`],
    ['in a message in armour', `-----BEGIN PGP MESSAGE-----\n\n${S}\n-----END PGP MESSAGE-----`],
  ])('%s does not stay', (_, text) => {
    expect(redactText(text)).not.toContain('canary')
  })
})

it.each([
  ...[
    'AUTH_HEADER',
    'AUTH_BASIC',
    'password_text',
    'SECRET_NAME',
    'PASSWORD_HINT',
    'SESSION_STATE',
    'PASS_PREFIX',
    'API_KEY_FIELD',
  ],
  ...[
    'bindpw',
    'ROOTPW',
    'UNSEAL_KEY',
    'GH_PAT',
    'LOGIN_CODE',
    'BACKUP_CODES',
    'пароль',
    '密码',
    'Paßwort',
    'Contraseña',
    'masterauth',
  ],
])('a secret named %s does not stay', (name) => {
  expect(redactText(`${name}: ${S}\n`)).not.toContain('canary')
  expect(redactText(JSON.stringify({ [name]: S }), { kind: 'json' })).not.toContain('canary')
})

describe('JSON', () => {
  const redacted = (text: string, pieceLength?: number) =>
    redactText(text, { kind: 'json', ...(pieceLength === undefined ? {} : { pieceLength }) })

  it.each([
    ['lists under a name', `{"api-keys":["${S}",{"a":"${S}"}],"x":"y"}`],
    ['secret-key', `{"secret-key":"${S}"}`],
    ['a pair', `{"env":[{"name":"API_KEY","value":"${S}"}]}`],
    ['a pair, the value first', `{"env":[{"value":"${S}","name":"API_KEY"}]}`],
    ['arguments', `{"argv":["x","--password","${S}","-u","a:${S}"]}`],
    ['an argument that begins with a dash', `{"argv":["x","--password","-pA9${S}#A"]}`],
    ['headers as pairs', `{"headers":[["authorization","${S}"]]}`],
    ['JSON in a string', `{"body":"{\\"password\\":\\"${S}\\",\\"api_keys\\":[\\"${S}\\"]}"}`],
    [
      'JSON in a string in a string',
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: [S] }) }) }),
    ],
    ['a line that was cut off in a string', `{"api-keys":["${S}\n{"a":"b"}\n{"password":"${S}"}\n`],
    ['a line that was cut off in a list', `{"a":1}\n{"api-keys":["${S}",\n{"password":"${S}"}\n`],
    ['a list after a line break in a string', `{"x":"a\nb","api-keys":["${S}"]}`],
    ['12,000 levels', `${'{"a":'.repeat(12_000)}{"api-keys":["${S}"]}${'}'.repeat(12_000)}`],
    ['an escaped name', `{"pass\\u0077ord":"${S}"}`],
    ['an escaped value', `{"x":"\\u0070assword=${S}"}`],
    ['a comma that is missing', `{"x":"a"\n"token":"${S}"`],
    ['single quotes', `{'token': '${S}'}`],
    ['names without quotes', `{token: "${S}", x: 1}`],
    ['arguments as an object', `{"args":{"0":"--password","1":"${S}"}}`],
    [
      'parameters of a query',
      `{"queryString":[{"name":"key","value":"canary"}],"query":{"sig":"canary"}}`,
    ],
    ['a table in a string', `{"csv":"id,password\\n1,Maple.canary\\n"}`],
    ['a URL with a key in its query', `{"url":"https://h/?key=canary&x=1"}`],
    ['a name of a list of keys as an object', `{"api_keys":{"${S}":{"name":"x"}}}`],
  ])('with %s hides it', (_, text) => {
    for (const pieceLength of [7, 1_000_000])
      expect(redacted(text, pieceLength)).not.toContain('canary')
  })

  it('turns a number under the name of a secret into a text, and keeps counts', () => {
    expect(redacted('{"password":12345678,"tokens":12,"pin":[4321,"word"],"ok":true}')).toMatch(
      /^\{"password":"<secret:\w{12}>","tokens":12,"pin":\["<secret:\w{12}>","<secret:\w{12}>"\],"ok":true\}$/,
    )
  })

  it('stays readable, and what is harmless stays byte for byte', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 50 }), (value, pieceLength) => {
        JSON.parse(redacted(JSON.stringify(value, null, 1), pieceLength))
      }),
      { numRuns: 500 },
    )
    const kept =
      '{ "n": 1.50e3, "tokens": 18422, "source":"live", "text": "caf\\u00e9" , "list":[ ] }\n'
    expect(redacted(kept, 3)).toBe(kept)
  })

  it('of a backup loses client keys and titles, which stand in rows without names', () => {
    const backup = `{"format":"svc-quota-monitor-history","tables":{\n"accounts":[\n["p","4d7444d22bc687d2","Ana of canary"]\n],"usage":[\n[1,"-5","p","4d7444d22bc687d2","canary words","gpt-5.5",12,0]\n],"days":[["api",0,"p","canary words",1,2,0],["model",0,"p","gpt-5.5",1,2,0]],"meta":[["fingerprint_key","canary"],["cut_ms","12"]]}}`
    const out = redacted(backup)

    expect(out).not.toContain('canary')
    expect(out).toContain('["model",0,"p","gpt-5.5",1,2,0]')
    expect(out).toContain('4d7444d22bc687d2')
  })
})

it('a random value beside a name is hidden even where it ends like the name of a secret; a list of names stays', () => {
  const names = "for (const name of ['password', 'apiKey']) "

  expect(redactText('headers = [("api-keys", "onlwNICzPw")]')).not.toContain('onlwNICzPw')
  expect(redactText(names)).toBe(names)
})

describe('CSV', () => {
  const redacted = (text: string, pieceLength = 1_000_000) =>
    redactText(text, { kind: 'csv', pieceLength })

  it.each([
    ['quotes', `a,password\r\n1,${S}\r\n2,"${S}"",x"\r\n`],
    ['a line that names the delimiter', `sep=;\nid;token\n1;${S}\n`],
    ['a comment before its head', `# c\nid,token\n1,${S}\n`],
    ['a quote that is never closed', `id,token\n1,"${S}\n2,${S}\n3,${S}\n`],
    ['a stray quote', `id,token,b\n1,x"y,${S},z\n2,a,b,${S}\n`],
    [
      'a stray quote in a cell before it',
      `id,note,token\n1,"oops,${S}\n2,fine,${S}\n3,more,${S}\n`,
    ],
    ['too many cells', `id,token\n1,a,b,${S}\n`],
    ['names in rows', `key,value\npassword,${S}\n`],
    ['tabs', `id\tapi_key\n1\t${S}\n`],
    ['JSON in a cell', `id,body\n1,"{""api_key"":""${S}"",""password"":77777777}"\n`],
    ['a second head', `id,name\n1,x\nid,token\n2,${S}\n`],
    ['one column', `token\n${S}\n`],
    ['a mark at its beginning and quotes', `\ufeff"id","password"\r\n"1","${S}"\r\n`],
    ['a mark at its beginning and the secret first', `\ufeff"password","id"\r\n"${S}","1"\r\n`],
    [
      'a line that names the delimiter, and three columns',
      `sep=;\nid;password;x\n1;Maple.canary;2\n`,
    ],
    ['a line that names the comma', `"sep=,"\r\nid,password,x\r\n1,Maple.canary,2\r\n`],
    ['carriage returns between its rows', `id,password\r1,Maple.canary\r2,${S}\r`],
    ['a head behind a title', `Report\nid,token\n1,${S}\n`],
  ])('with %s hides it', (_, text) => {
    for (const pieceLength of [5, 1_000_000])
      expect(redacted(text, pieceLength)).not.toContain('canary')
  })

  it('keeps rows, columns and what is harmless', () => {
    expect(
      redacted(
        'at,API_Key,"note, long"\r\n1,abc,"x ""y"", ana@mail.example"\r\n2,"a;b\nc",plain\r\n',
        4,
      ),
    ).toMatch(
      /^at,API_Key,"note, long"\r\n1,<secret:\w{12}>,"x ""y"", user-\w{12}@redacted\.invalid"\r\n2,"<secret:\w{12}>",plain\r\n$/,
    )
  })
})

it('a sentence behind a name of Markdown stays, and so does a head that names a secret', () => {
  for (const text of [
    '- **password**: the one of the user\n',
    '* **API key:** see the page of the vendor\n',
    '| name | password |\n| --- | --- |\n',
    '| **Name** | **Password** |\n| --- | --- |\n',
  ])
    expect(redactText(text)).toBe(text)
})
