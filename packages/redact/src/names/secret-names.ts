import { remembering } from '../remembered.ts'

/**
 * Meaning of a name for its value. `secret`: the value is always hidden. `text`: hidden unless it is a number, which is a count. `person`: hidden
 * only if a parser found the name, because the same words also occur in prose.
 */
export type NameRule = 'secret' | 'text' | 'person'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
/** A name with one of these among its parts (`DB_PASS`, `smtp.password`, `userPwd`) names a secret. */
const SECRET_PARTS = words(
  'password passwords passwd passwds passphrase passcode pass pwd pw secret secrets token apikey apikeys credential credentials cred creds authorization auth authn cookie cookies session sessionid sid jwt bearer otp totp pin mnemonic dsn passwort kennwort contrasena senha mdp psk rootpw ' +
    'contraseña paßwort schlüssel hasło şifre lösenord пароль секрет токен ключ 密码 密碼 口令 パスワード 비밀번호',
)
/** Parts that also count inside a part, because names are written together (`dbpassword`, `xapikey`). */
const SECRET_STEMS =
  /stringdata|codeverifier|password|passwd|passphrase|passwort|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|accesstoken|refreshtoken|idtoken|authtoken|bearertoken|sessionid|sessionkey|credential|authorization|managementkey|masterkey|setcookie|connectionstring|clientkey|databaseurl|webhook(?:url)?$|(?:bind|root|db|admin|user|ldap|smtp|mail|my|ftp|default)pw$|(?<!by|com|tres|sur|under|multi)pass$|(?:token|pwd|cookie|jwt)$/
/** Words before `key`, `keys`, `code` or `codes` that make it a secret. */
const OWNERS = words(
  'api access secret private management master encryption encrypt signing sign signature ssh client license licence auth service storage shared hmac host aws gcp azure deploy consumer recovery admin root server session x openai anthropic claude gemini codex xai github gitlab slack stripe app bot user db database vault proxy gateway upstream refresh wpa ' +
    'login backup verification otp access invite security device mfa sms pairing',
)
/** Last parts of names that hold facts about a secret, not the secret itself (`token_type`, `password_file`, `auth_index`). */
const ABOUT = words(
  'type types count counts at age expiry expires expire expired expiration in limit limits file files path paths dir directory folder length len size sizes ttl index status mode enabled disabled required policy title description version format schema env variable param min max usage used total per rate budget window windows url uri endpoint algorithm alg method kind provider set present supported affinity stickiness bytes ratio overhead invalid valid ok failed failures refused missing changed unavailable reason result flow scope scopes timeout timeouts seconds minutes ms hours days error errors text texts breakdown detail details stats statistics summary name names field fields label labels source state prefix',
)
/** Names, ours and others, that the rules above would wrongly take for those of secrets. */
const HARMLESS = words(
  'tokenusage passthrough authname loadcredential loadcredentialencrypted manualquotarefreshauth containssecrets',
)
const PERSON = words(
  'apiname apinames email emails mail useremail emailaddress username login user phone phonenumber fullname firstname lastname account accountid chatgptaccountid accountuuid organizationid organizationuuid organizationname projectid deviceid userid chatid sub',
)
/** Cheap test for a line in which a name of a secret may stand. */
const TRIGGER =
  /pass|pwd|secret|token|key|cred|auth|cookie|sess|sid|jwt|bearer|otp|pin|mnemonic|dsn|kennwort|contrase|senha|mdp|psk|webhook|code|verifier|connection[-_. ]?string|string[-_. ]?data|pw\b|pat\b|database[-_. ]?url|[^ -~]/i

export function mayNameSecret(text: string): boolean {
  return TRIGGER.test(text)
}

const NAME_LENGTH_MAX = 128

/** The rule of a name in any spelling (`dbPassword`, `DB_PASSWORD`); null if the name does not affect its value. */
export const ruleOfName = remembering(NAME_LENGTH_MAX, (name): NameRule | null => {
  const parts = name
    .slice(-NAME_LENGTH_MAX)
    .normalize('NFC')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\u0080-\uffff]+/)
    .filter((part) => part !== '')
  const joined = parts.join('')
  const last = parts.at(-1) ?? ''
  if (HARMLESS.has(joined)) return null
  if (PERSON.has(joined)) return 'person'
  if (parts.length > 1 && /^(?:e?mail)$/.test(last)) return 'person'
  if (last === 'tokens' || last === 'sessions') return 'text'
  if (parts.length > 1 && ABOUT.has(last) && !/(?:webhook|database|dsn)url$/.test(joined))
    return null
  if (/^(?:keys?|codes?|pat)$/.test(last))
    return parts.length > 1 && (last === 'pat' || OWNERS.has(parts.at(-2) ?? '')) ? 'secret' : null
  return parts.some((part) => SECRET_PARTS.has(part)) || SECRET_STEMS.test(joined) ? 'secret' : null
})

/** True for the name of a secret in a place where a value is also possible. */
export function isSecretName(text: string): boolean {
  return text.length < 64 && /^[\p{L}_-][\p{L}\d_.-]*$/u.test(text) && ruleOfName(text) === 'secret'
}

/** Members and columns that contain the name of a neighbouring value. */
export const NAMING =
  /^(?:name|key|id|field|setting|option|param|parameter|property|header|variable)$/i
/** Members and columns whose name may stand in a neighbour. */
export const NAMED = /^(?:value|val|content|data)$/i

/** The rule of a value in a row, given by its column or by a neighbouring cell with a name. */
export function ruleInRow(column: string, row: Readonly<Record<string, unknown>>): NameRule | null {
  const isNamedBeside = Object.entries(NAMED.test(column) ? row : {}).some(
    ([name, value]) => NAMING.test(name) && typeof value === 'string' && isSecretName(value),
  )
  return isNamedBeside ? 'secret' : ruleOfName(column)
}
