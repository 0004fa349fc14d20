import { bytesOf, ownCopy } from '../byte-text.ts'
import type { SecretKind } from '../span.ts'

/** Rule that a name sets for its value. */
export interface NameRule {
  readonly kind: SecretKind
  /**
   * `always`: any value. `text`: a text, but not a number, which is a count (`tokens: 12`). `likely`: only a value that looks like a secret (`key:
   * theme`). `field`: only if a parser found the name, because the word is common in prose (`account`, `source`).
   */
  readonly hides: 'always' | 'text' | 'likely' | 'field'
  /** A text with blanks is not a secret under this name. */
  readonly isOneWord?: true
  /** A `field` whose name is no word, so that it also counts where no parser found it. */
  readonly inText?: true
}

const secret = (hides: NameRule['hides']): NameRule => ({ kind: 'secret', hides })
/** Hides any value under the name. */
export const ALWAYS = secret('always')
const LIKELY = secret('likely')
const TEXT = secret('text')
const FIELD = secret('field')
/** Identity of a login at its vendor. */
const IDENTITY: NameRule = { kind: 'secret', hides: 'field', inText: true }
/** A name that a person chose. */
export const CHOSEN_NAME: NameRule = { kind: 'user', hides: 'field' }

const words = (text: string): readonly string[] => text.split(' ')

/** A name with one of these among its parts (`DB_PASS`, `smtp.password`, `userPwd`) names a secret. */
const SECRET_PARTS = words(
  'password passwords passwd passwds passphrase passcode pass pwd pw secret secrets token apikey apikeys credential credentials cred creds authorization auth authn cookie cookies session sessionid sid jwt bearer otp totp pin mnemonic dsn passwort kennwort contrasena senha mdp psk',
)
/** Parts that also count inside a part, because names are written together (`dbpassword`, `xapikey`). */
const SECRET_STEMS = words(
  'password passwd passphrase passwort secret apikey accesskey privatekey signingkey encryptionkey accesstoken refreshtoken idtoken authtoken bearertoken sessionid sessionkey credential authorization managementkey masterkey setcookie connectionstring clientkey',
)
/** Endings of names written together (`dbpass`, `bottoken`, `smtppwd`). */
const SECRET_ENDINGS =
  /(?:(?:bind|root|db|admin|user|ldap|smtp|mail|my|ftp|sa|default)pw|token|passw|pass|pwd|cookie|secret|apikey|jwt)$/
/** Words with such an ending that name no secret. */
const NO_SECRET_ENDINGS = /(?:bypass|compass|trespass|surpass|encompass|underpass|multipass)$/

/** Words before `key` or `keys` that make it a secret. */
const KEY_OWNERS = new Set(
  words(
    'api access secret private management master encryption encrypt encrypting signing sign signature ssh client license licence auth service storage shared hmac host fingerprint aws gcp azure deploy consumer webhook recovery admin root server session cookie jwt x openai anthropic claude gemini codex xai github gitlab slack stripe app application bot user db database crypto cipher symmetric aes rsa pgp gpg vault proxy gateway upstream refresh account wpa unseal',
  ),
)
/** Words before `key` that make it harmless. */
const PLAIN_KEY_OWNERS = new Set(
  words(
    'primary foreign public sort partition cache row group object map unique composite index arrow hot tab enter shortcut i18n translation',
  ),
)
/** Last parts of names for facts about a secret that give nothing away (`token_type`, `password_file`, `auth_index`). */
const ABOUT_ENDINGS = new Set(
  words(
    'type types count counts at age expiry expires expire expired expiration in limit limits file files path paths dir directory folder length len size sizes ttl index status mode enabled disabled required policy title description version format schema env variable param min max usage used total per rate budget window windows url uri endpoint algorithm alg method kind provider set present supported affinity stickiness mark bytes ratio overhead placeholder invalid valid ok failed failures refused missing changed unavailable reason result flow scope scopes timeout timeouts seconds minutes ms hours days error errors',
  ),
)

/** Last parts after which the value may be the secret or merely its name: only a value that looks like a secret is hidden. */
const OPEN_ENDINGS = new Set(words('name names field fields label labels source state prefix'))
/** Words before `code` or `codes` that make it a secret. */
const CODE_OWNERS = new Set(
  words(
    'login backup recovery verification auth otp access invite security user device mfa tan sms pairing',
  ),
)

/** Rules of whole names, without separators. */
const WHOLE: Readonly<Record<string, NameRule>> = {
  key: LIKELY,
  keys: TEXT,
  accountkey: LIKELY,
  accountkeys: LIKELY,
  code: LIKELY,
  state: LIKELY,
  sig: LIKELY,
  signature: LIKELY,
  nonce: LIKELY,
  verifier: LIKELY,
  codeverifier: ALWAYS,
  salt: LIKELY,
  seed: LIKELY,
  databaseurl: LIKELY,
  masterauth: ALWAYS,
  hash: LIKELY,
  refresh: FIELD,
  source: { kind: 'secret', hides: 'field', isOneWord: true },
  account: FIELD,
  accountid: FIELD,
  chatgptaccountid: IDENTITY,
  accountuuid: IDENTITY,
  organizationid: IDENTITY,
  organizationuuid: IDENTITY,
  organizationname: { ...CHOSEN_NAME, inText: true },
  projectid: IDENTITY,
  deviceid: IDENTITY,
  anthropicorganizationid: IDENTITY,
  xmshdeviceid: IDENTITY,
  userid: FIELD,
  sub: { kind: 'secret', hides: 'field', isOneWord: true },
  apiname: FIELD,
  apinames: FIELD,
  stringdata: ALWAYS,
  tokens: TEXT,
  sessions: TEXT,
  email: { kind: 'email', hides: 'field' },
  emails: { kind: 'email', hides: 'field' },
  mail: { kind: 'email', hides: 'field' },
  useremail: { kind: 'email', hides: 'field' },
  emailaddress: { kind: 'email', hides: 'field' },
  username: { kind: 'user', hides: 'field' },
  login: { kind: 'user', hides: 'field' },
  user: { kind: 'user', hides: 'field' },
  phone: { kind: 'user', hides: 'field' },
  phonenumber: { kind: 'user', hides: 'field' },
  fullname: { kind: 'user', hides: 'field' },
  firstname: { kind: 'user', hides: 'field' },
  lastname: { kind: 'user', hides: 'field' },
  path: { kind: 'path', hides: 'field' },
  ip: { kind: 'ip', hides: 'field' },
  ipaddress: { kind: 'ip', hides: 'field' },
  clientip: { kind: 'ip', hides: 'field' },
  remoteip: { kind: 'ip', hides: 'field' },
  remoteaddr: { kind: 'ip', hides: 'field' },
  xforwardedfor: { kind: 'ip', hides: 'field' },
  xrealip: { kind: 'ip', hides: 'field' },
  useragent: { kind: 'agent', hides: 'field' },
}

/** Secret names that no rule above covers, and names that a rule covers by mistake. */
const EXCEPTIONS: Readonly<Record<string, NameRule | null>> = {
  tokentype: null,
  tokenusage: null,
  tokencount: null,
  maxtokens: null,
  passthrough: null,
  accesskeyid: ALWAYS,
  awsaccesskeyid: ALWAYS,
  secretid: ALWAYS,
  sessiontoken: ALWAYS,
  authname: null,
  containssecrets: null,
  loadcredential: null,
  loadcredentialencrypted: null,
  manualquotarefreshauth: null,
}

/** Words of other scripts and with accents, as byte text, in small letters and capitalised. */
const FOREIGN = words(
  'contraseña paßwort schlüssel hasło şifre lösenord пароль секрет токен ключ 密码 密碼 口令 パスワード 비밀번호',
).flatMap((word) =>
  [word, word.slice(0, 1).toUpperCase() + word.slice(1), word.toUpperCase()].map(bytesOf),
)
const PARTS = new Set([...SECRET_PARTS, ...FOREIGN.map((word) => word.toLowerCase())])
const rules = new Map<string, NameRule | null>()
/** Most rules that are remembered by name; names repeat. */
const RULES_KEPT_MAX = 20_000
const NAME_LENGTH_MAX = 256

/** The rule of a name in any spelling; null if the name tells nothing about its value. */
export function ruleOfName(name: string): NameRule | null {
  const known = rules.get(name)
  if (known !== undefined) return known
  const rule = name.length > NAME_LENGTH_MAX ? judge(name.slice(-NAME_LENGTH_MAX)) : judge(name)
  if (rules.size >= RULES_KEPT_MAX) rules.clear()
  rules.set(ownCopy(name), rule)
  return rule
}

function judge(name: string): NameRule | null {
  const parts = partsOf(name)
  const joined = parts.join('')
  const whole = WHOLE[joined] ?? EXCEPTIONS[joined]
  if (whole !== undefined) return whole
  const last = parts.at(-1) ?? ''
  const isAbout = parts.length > 1 && ABOUT_ENDINGS.has(last)
  if (last === 'tokens' || last === 'sessions') return TEXT
  if (last === 'email' || last === 'mail') return { kind: 'email', hides: 'field' }
  if (isAbout && !joined.endsWith('webhookurl')) return joined.endsWith('dsnurl') ? LIKELY : null
  if (parts.length > 1 && OPEN_ENDINGS.has(last))
    return ruleOfParts(parts.slice(0, -1)) === ALWAYS ? LIKELY : null
  return ruleOfParts(parts)
}

function ruleOfParts(parts: readonly string[]): NameRule | null {
  const joined = parts.join('')
  const last = parts.at(-1) ?? ''
  const beforeLast = parts.at(-2) ?? ''
  if (parts.some((part) => PARTS.has(part)) || SECRET_STEMS.some((stem) => joined.includes(stem)))
    return ALWAYS
  if (last === 'key' || last === 'keys') {
    if (KEY_OWNERS.has(beforeLast)) return ALWAYS
    return PLAIN_KEY_OWNERS.has(beforeLast) ? null : LIKELY
  }
  if (/^codes?$/.test(last) && CODE_OWNERS.has(beforeLast)) return ALWAYS
  // PAT: a personal access token.
  if (last === 'pat' && parts.length > 1) return ALWAYS
  if (/webhook(?:url)?$/.test(joined)) return ALWAYS
  return SECRET_ENDINGS.test(joined) && !NO_SECRET_ENDINGS.test(joined) ? ALWAYS : null
}

/** Splits `dbPassword`, `DB_PASSWORD` and `db-password` alike into db, password. */
function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\x80-\uffff]+/)
    .filter((part) => part !== '')
}

/** `api_key`, `API_KEY`, `apiKey`, `X-Api-Key`; random letters hardly ever look so. */
const WRITTEN_AS_NAME =
  /^(?:[a-z][a-z\d]*(?:[_.-][a-z\d]+)*|[A-Z][A-Z\d]*(?:_[A-Z\d]+)*|[A-Za-z][a-z\d]*(?:-?[A-Z][a-z\d]+)*)$/

/** More numbers than a name has, as in `PW4W79Aa27`. */
const NUMBERS = /\d\D+\d+\D+\d/

/** False for what holds the name of a secret by chance. */
export function isWrittenAsName(text: string): boolean {
  return text.split(' ').every((word) => WRITTEN_AS_NAME.test(word) && !NUMBERS.test(word))
}

/** True for the name of a secret where a value may stand as well, as in a column of a table. */
export function isNameOfSecret(text: string): boolean {
  return isWrittenAsName(text) && ruleOfName(text)?.hides === 'always'
}

/** Matches every name that has a rule in running text, so that most words are passed over quickly. */
export const NAME_TRIGGER = new RegExp(
  String.raw`pass|pwd|secret|token|api|key|cred|auth|cookie|sess|\bsid\b|jwt|bearer|otp|pin\b|mnemonic|dsn|kennwort|contrasena|senha|mdp|psk|webhook|code|state|sig|nonce|verifier|salt|seed|hash|connectionstring|stringdata|pw\b|[-_.]pat\b|database_?url|(?:account|organization)[-_.]?(?:uu)?id|organization[-_.]?name|(?:device|project)[-_.]?id|${FOREIGN.join('|')}`,
  'gi',
)
