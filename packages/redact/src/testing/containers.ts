/** A document that names a value as a secret. `text` is where the value stands as it is written there. */
interface Container {
  readonly file: string
  readonly write: (name: string, value: string) => string
  /** Some values cannot be written there without an encoding of another kind. */
  readonly takes?: (value: string) => boolean
}

const json = JSON.stringify
const csv = (value: string) => `"${value.replaceAll('"', '""')}"`
const yaml = (value: string) => `'${value.replaceAll("'", "''")}'`
const xml = (value: string) =>
  value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
const shell = (value: string) => `'${value.replace(/'/g, "'\\''")}'`
const uri = encodeURIComponent
const isWord = (value: string) => /^[A-Za-z0-9._~+/=-]+$/.test(value)
const isBare = (value: string) =>
  /^[^\s"'\\,;#&|<>()[\]{}`:@!*?%^~=+-][^\s"'\\,;#&|<>()[\]{}`]*$/.test(value)

export const containers: Readonly<Record<string, Container>> = {
  JSON: { file: 'json', write: (name, value) => json({ id: 7, [name]: value, ok: true }) },
  'JSON in lines': {
    file: 'json',
    write: (name, value) => json({ a: [{ [name]: value }] }, null, 2),
  },
  'a list in JSON': {
    file: 'json',
    write: (name, value) => json({ [name]: ['first', value], x: 1 }),
  },
  'an object in JSON': {
    file: 'json',
    write: (name, value) => json({ [name]: { primary: value, n: { deep: [value] } } }),
  },
  'JSON lines': {
    file: 'jsonl',
    write: (name, value) => `{"a":1}\n${json({ [name]: value })}\n{"b":2}\n`,
  },
  'JSON lines after one that was cut off': {
    file: 'jsonl',
    write: (name, value) => `{"a":1}\n{"b":"cut\n${json({ [name]: value })}\n`,
  },
  'a pair of name and value in JSON': {
    file: 'json',
    write: (name, value) =>
      json({
        env: [
          { name, value },
          { value: 'x', name: 'y' },
        ],
      }),
  },
  'a pair of value and name in JSON': {
    file: 'json',
    write: (name, value) => json([{ value, name }]),
  },
  'JSON in a string of JSON': {
    file: 'json',
    write: (name, value) => json({ body: json({ [name]: [value] }) }),
  },
  'JSON in a log': {
    file: 'log',
    write: (name, value) =>
      `2026-11-21T10:00:00Z info request ${json({ [name]: value })} took 5 ms\n`,
  },
  'escaped JSON in a log': {
    file: 'log',
    write: (name, value) => `level=info body=${json(json({ [name]: value }))}\n`,
  },
  'arguments in JSON': {
    file: 'json',
    write: (name, value) => json({ argv: ['run', `--${name}`, value, '--fast'] }),
  },
  CSV: { file: 'csv', write: (name, value) => `id,${name},note\r\n1,${csv(value)},plain\r\n` },
  'CSV with semicolons': {
    file: 'csv',
    write: (name, value) => `sep=;\nid;${name}\n1;${csv(value)}\n`,
  },
  'CSV with a comment': {
    file: 'csv',
    write: (name, value) => `# made today\nid,${name}\n1,${csv(value)}\n`,
  },
  'CSV with a stray quote': {
    file: 'csv',
    write: (name, value) => `id,note,${name}\n1,5" disk,${csv(value)}\n2,a "b,${csv(value)}\n`,
  },
  'CSV with tabs': { file: 'tsv', write: (name, value) => `id\t${name}\n1\t${csv(value)}\n` },
  'CSV with a mark and quotes': {
    file: 'csv',
    write: (name, value) => `\ufeff"id","${name}"\r\n"1",${csv(value)}\r\n`,
  },
  'CSV that names its delimiter': {
    file: 'csv',
    write: (name, value) => `sep=;\nid;${name};note\n1;${csv(value)};x\n`,
  },
  'CSV with carriage returns': {
    file: 'csv',
    write: (name, value) => `id,${name}\r1,${csv(value)}\r`,
  },
  'CSV in a text': {
    file: 'txt',
    write: (name, value) => `report\n\nid,${name},note\n1,${csv(value)},plain\n`,
  },
  'CSV of yesterday': {
    file: 'csv.1',
    write: (name, value) => `\ufeffid;${name}\r\n1;${csv(value)}\r\n`,
  },
  YAML: { file: 'yaml', write: (name, value) => `port: 1\n${name}: ${yaml(value)}\nx: y\n` },
  'bare YAML': { file: 'yaml', write: (name, value) => `a:\n  ${name}: ${value}\n`, takes: isBare },
  'a list in YAML': {
    file: 'yaml',
    write: (name, value) => `${name}:\n  - ${yaml(value)}\n  - two\nport: 1\n`,
  },
  'a shallow list in YAML': {
    file: 'yaml',
    write: (name, value) => `${name}:\n- ${yaml(value)}\nport: 1\n`,
  },
  'a block in YAML': {
    file: 'yaml',
    write: (name, value) => `${name}: |\n  ${value}\nport: 1\n`,
    takes: (value) => value === value.trim(),
  },
  'a block of YAML in quotes of a shell': {
    file: 'yaml',
    write: (name, value) => `${name}: |\n  ${shell(value)}\nport: 1\n`,
  },
  'a flow list in YAML': {
    file: 'yaml',
    write: (name, value) => `${name}: [ ${json(value)}, "b" ]\n`,
  },
  'a pair in YAML': {
    file: 'yaml',
    write: (name, value) =>
      `env:\n  - name: ${name}\n    value: ${yaml(value)}\n  - name: A\n    value: b\n`,
  },
  TOML: { file: 'toml', write: (name, value) => `a = 1\n${name} = ${json(value)}\n` },
  'a list in TOML': {
    file: 'toml',
    write: (name, value) => `${name} = [\n  ${json(value)},\n  "b",\n]\n`,
  },
  'a section in TOML': {
    file: 'toml',
    write: (name, value) => `[${name}]\nmain = ${json(value)}\n\n[other]\na = "b"\n`,
  },
  INI: {
    file: 'ini',
    write: (name, value) => `[main]\n${name} = ${value}\n`,
    takes: (value) => !/[#;]/.test(value),
  },
  'an environment file': {
    file: 'env',
    write: (name, value) =>
      `A=b\n${name.replace(/[^\w]/g, '_').toUpperCase()}=${shell(value)}\nC=d\n`,
  },
  'a bare environment file': {
    file: 'env',
    write: (name, value) => `export ${name.replace(/[^\w]/g, '_').toUpperCase()}=${value}\n`,
    takes: isBare,
  },
  'an element of XML': {
    file: 'xml',
    write: (name, value) => `<a>\n <${name}>${xml(value)}</${name}>\n</a>\n`,
  },
  'an attribute of XML': {
    file: 'xml',
    write: (name, value) => `<a><b id="1" ${name}="${xml(value)}"/></a>\n`,
  },
  'a pair of attributes': {
    file: 'xml',
    write: (name, value) => `<add key="${name}" value="${xml(value)}"/>\n`,
  },
  'a property list': {
    file: 'plist',
    write: (name, value) => `<dict>\n<key>${name}</key>\n<string>${xml(value)}</string>\n</dict>\n`,
  },
  'a header': {
    file: 'log',
    write: (_, value) => `> GET / HTTP/1.1\n> X-Api-Key: ${value}\n> Accept: */*\n`,
    takes: (value) => isWord(value),
  },
  'a cookie': {
    file: 'log',
    write: (_, value) => `Cookie: theme=dark; sid=${value}\n`,
    takes: isWord,
  },
  'a bearer': {
    file: 'log',
    write: (_, value) => `Authorization: Bearer ${value}\n`,
    takes: isWord,
  },
  'basic authorization': {
    file: 'log',
    write: (_, value) => `authorization: Basic ${Buffer.from(`ana:${value}`).toString('base64')}\n`,
  },
  'a URL': {
    file: 'log',
    write: (_, value) => `proxy http://ana:${uri(value)}@proxy.example:3128/ is slow\n`,
  },
  'a parameter of a URL': {
    file: 'log',
    write: (name, value) => `GET /cb?a=1&${uri(name)}=${uri(value)}&b=2 200\n`,
  },
  'a form': {
    file: 'log',
    write: (name, value) => `body: grant_type=x&${uri(name)}=${uri(value)}\n`,
  },
  'curl with a user': {
    file: 'sh',
    write: (_, value) => `curl -s -u ${shell(`ana:${value}`)} https://h.example/\n`,
  },
  'curl with a header': {
    file: 'sh',
    write: (_, value) => `curl -H ${shell(`x-management-key: ${value}`)} https://h.example/\n`,
    takes: (value) => !/["']/.test(value),
  },
  'a flag': { file: 'sh', write: (name, value) => `program --${name} ${shell(value)} --fast\n` },
  'a flag with an equals sign': {
    file: 'sh',
    write: (name, value) => `program --${name}=${shell(value)} -v\n`,
  },
  'a variable before a command': {
    file: 'sh',
    write: (_, value) => `PGPASSWORD=${shell(value)} psql -h db\n`,
  },
  'a list of arguments': {
    file: 'log',
    write: (name, value) => `exec [${json('run')}, ${json(`--${name}`)}, ${json(value)}]\n`,
  },
  JavaScript: {
    file: 'js',
    write: (name, value) => `const config = { ${json(name)}: ${json(value)}, a: 1 }\n`,
  },
  Python: { file: 'py', write: (name, value) => `${name.replace(/\W/g, '_')} = ${json(value)}\n` },
  'a dictionary of Python': {
    file: 'log',
    write: (name, value) => `{'${name}': '${value}', 'a': 1}\n`,
    takes: (value) => !/['\\]/.test(value),
  },
  'an array of PHP': {
    file: 'php',
    write: (name, value) => `$a = ['${name}' => '${value}'];\n`,
    takes: (value) => !/['\\]/.test(value),
  },
  'a table of Markdown': {
    file: 'md',
    write: (name, value) => `| user | ${name} |\n| --- | --- |\n| x | ${value} |\n`,
    takes: (value) => !/\|/.test(value) && value === value.trim(),
  },
  'a list in Markdown': {
    file: 'md',
    write: (name, value) => `# Notes\n\n* **${name}**: \`${value}\`\n* **port**: 8317\n`,
    takes: (value) => !value.includes('`'),
  },
  'a name of Markdown with its colon': {
    file: 'md',
    write: (name, value) => `- **${name}:** ${value}\n- **port:** 8317\n`,
    takes: isBare,
  },
  'a row in Markdown': {
    file: 'md',
    write: (name, value) => `| **${name}** | ${value} |\n| --- | --- |\n| **port** | 8317 |\n`,
    takes: (value) => !/[| ]/.test(value),
  },
  'what PHP serialises': {
    file: 'txt',
    write: (name, value) =>
      `a:1:{s:${name.length}:"${name}";s:${Buffer.byteLength(value)}:"${value}";}\n`,
  },
  'a variable that PHP writes out': {
    file: 'log',
    write: (name, value) =>
      `array(1) {\n  ["${name}"]=>\n  string(${Buffer.byteLength(value)}) "${value}"\n}\n`,
  },
  'a statement': {
    file: 'sql',
    write: (name, value) =>
      `INSERT INTO users (id, ${name.replace(/\W/g, '_')}) VALUES (1, '${value.replaceAll("'", "''")}');\n`,
    takes: (value) => !value.includes('\\'),
  },
  'a part of a form': {
    file: 'txt',
    write: (name, value) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b--\r\n`,
  },
  'a line of a netrc': {
    file: 'netrc',
    write: (_, value) => `machine h.example login ana password ${value}\n`,
    takes: isWord,
  },
  'a call': {
    file: 'py',
    write: (name, value) => `client = connect(url, ${name.replace(/\W/g, '_')}=${json(value)})\n`,
  },
  'a name and a value in a call': {
    file: 'php',
    write: (name, value) => `define(${json(name)}, ${json(value)});\n`,
  },
  'a tuple': {
    file: 'py',
    write: (name, value) => `headers = [(${json(name)}, ${json(value)})]\n`,
  },
  'a list of Go': {
    file: 'log',
    write: (name, value) => `{Port:1 ${name.replace(/\W/g, '')}:[]string{${json(value)}, "b"}}\n`,
  },
  'an argument in YAML': {
    file: 'yaml',
    write: (name, value) => `args:\n  - --${name}\n  - ${json(value)}\n  - --fast\n`,
  },
  'a map of YAML on one line': {
    file: 'yaml',
    write: (name, value) => `env: [{name: ${name}, value: ${json(value)}}]\n`,
  },
  'a directive': {
    file: 'conf',
    write: (_, value) => `location / {\n  proxy_set_header X-Management-Key ${json(value)};\n}\n`,
  },
  'a bare directive': {
    file: 'conf',
    write: (_, value) => `  proxy_set_header X-Management-Key ${value};\n`,
    takes: isBare,
  },
  'fields of a page on one line': {
    file: 'html',
    write: (name, value) =>
      `<p><input name="a" value="b"><input name="${name}" value="${xml(value)}"><input name="${name}" value="${xml(value)}"></p>\n`,
  },
  'a log of logrus on a terminal': {
    file: 'log',
    write: (name, value) =>
      `\u001b[36mINFO\u001b[0m[0000] login done          \u001b[36m${name}\u001b[0m=${/^[\w./@^+-]+$/.test(value) ? value : json(value)} \u001b[36muser\u001b[0m=ana\n`,
  },
  'a log of pino-pretty': {
    file: 'log',
    write: (name, value) =>
      `[17:31:00.124] \u001b[32mINFO\u001b[39m (4711): \u001b[36mlogin\u001b[39m\n    \u001b[35m${name}\u001b[39m: ${json(value)}\n    \u001b[35mport\u001b[39m: 8317\n`,
  },
  'JSON in colours': {
    file: 'log',
    write: (name, value) =>
      `\u001b[1;39m{\n  \u001b[0m\u001b[34;1m${json(name)}\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m${json(value)}\u001b[0m\u001b[1;39m\n\u001b[1;39m}\u001b[0m\n`,
  },
  'a value in colours': {
    file: 'log',
    write: (name, value) => `${name}=\u001b[32m${shell(value)}\u001b(B\u001b[m port=1\n`,
  },
  'a line in colours in a log of Docker': {
    file: 'json',
    write: (name, value) =>
      `${json({ log: `\u001b[36mINFO\u001b[0m login \u001b[36m${name}\u001b[0m=${json(value)}\n`, stream: 'stdout' })}\n`,
  },
  'a connection string': {
    file: 'txt',
    write: (_, value) => `Server=db;User Id=ana;Password=${value};Encrypt=true\n`,
    takes: isWord,
  },
}

export const secretNames = [
  ...[
    'api-keys',
    'secret-key',
    'password',
    'access_token',
    'refreshToken',
    'client_secret',
    'DB_PASS',
    'smtpPass',
    'x-api-key',
    'management-key',
  ],
  ...['auth', 'credentials', 'private_key', 'pwd', 'sessionToken', 'bot_token'],
] as const
