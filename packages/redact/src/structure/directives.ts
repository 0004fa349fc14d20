/** Commands before the name of a secret in server files and shells, where only blanks follow the name. */
const VERB =
  /(?:^|\n)[ \t]*(?:proxy_set_header|grpc_set_header|(?:fastcgi|uwsgi|scgi)_param|add_header|more_set_(?:input_)?headers|header_(?:up|down)|header|set_header|SetEnv|SetEnvIf[ \t]+\S{1,64}[ \t]+\S{1,64}|(?:Request)?Header[ \t]+(?:always[ \t]+)?(?:set|add|append|merge|setifempty)|ENV|ARG|http-(?:request|response)[ \t]+(?:set|add)-header|set(?:[ \t]+-{1,2}\w+){1,3}|setenv|setx|(?:npm|yarn|pnpm)[ \t]+config[ \t]+set|git[ \t]+config(?:[ \t]+--\w+)?|aws[ \t]+configure[ \t]+set|config[ \t]+set|CONFIG[ \t]+SET|ALTER[ \t]+(?:USER|ROLE)[ \t]+\S{1,64}(?:[ \t]+WITH)?|user[ \t]+\S{1,64}|stats)[ \t]+(?:\/\/[\w.-]{1,128}\/?[\w./-]{0,128}:)?["'+>]?$/i
/** Names that begin a line of their own in settings files, followed by any value. */
const OWN_LINE =
  /^(?:requirepass|masterauth|auth_pass|insecure-password|password|passwd|passphrase|secret|api_?key|auth_?token|client_?secret|private_?key|wpa_passphrase|psk)$/i
const BEFORE_LENGTH = 200
const REST = /([ \t]+)(\S{1,1024})[ \t]*(?:;[ \t]*)?(?:#[^\r\n]{0,200})?(?=\r?\n|\r?$)/y

/** Start of the value of a name that follows a command or begins its line; null for other names. */
export function directiveStart(
  text: string,
  start: number,
  end: number,
  name: string,
): number | null {
  const gap = /^["']?[ \t]{1,64}(?=[^ \t\r\n=:])/.exec(text.slice(end, end + 68))?.[0]
  if (gap === undefined) return null
  const before = text.slice(Math.max(0, start - BEFORE_LENGTH), start)
  if (VERB.test(before)) return end + gap.length
  if (!/(?:^|\n)[ \t]*$/.test(before)) return null
  REST.lastIndex = end
  const [, blanks = '', value = ''] = REST.exec(text) ?? []
  if (value === '') return null
  const isSetting =
    OWN_LINE.test(name) || blanks.length > 1 || blanks.includes('\t') || /[\d!@#$%^&*?]/.test(value)
  return isSetting && !/^[|=<(-]/.test(value) ? end + blanks.length : null
}
