import { isReplaced } from '../pseudonyms.ts'

/** Words that stand behind names of secrets in our own outputs, in settings and in prose, and give nothing away. */
const WORDS = new Set(
  (
    'live partial stale unavailable demo unknown codex claude gemini xai kimi kimi-ai antigravity oauth apikey api-key api_key api-call auth-files page-token management-key management none null nil undefined nan true false yes no on off set unset ' +
    'required optional missing empty invalid expired valid refused accepted rejected denied redacted hidden masked default string number boolean object array integer text auto legacy queue file env flag ' +
    'and or is was are not the for from with in to of a an if it that this when must should may can will has have be by as at its your our string, basic bearer digest negotiate token password secret changed removed rotated'
  ).split(' '),
)
const STARS = /^[*.xX•\-_#?]{1,64}$/
/** A reference to a value that stands elsewhere: `${VAR}`, `$VAR`, `{{ .Values.x }}`, `<your key>`, `%s`, `$(cat file)`. */
const REFERENCE =
  /^(?:\$\{[A-Za-z_][\w.:]*\}|\$[A-Z_][A-Z0-9_]*|\{\{[^{}]*\}\}|\{[a-z_]*\}|<[a-z][a-z _-]{0,40}>|%[sdvq]|process\.env\.\w+|\$\(cat [\w./-]+\))$/

/** True for a value that is not a secret under any name: empty, a word of state, a reference, a pseudonym. */
export function isHarmless(value: string): boolean {
  const sentence = value.trim().replace(/[.,;:!?]+$/, '')
  const plain = sentence.replace(/[.,;:!?)]+$/, '')
  return (
    plain === '' ||
    WORDS.has(plain.toLowerCase()) ||
    plain === 'not set' ||
    STARS.test(plain) ||
    REFERENCE.test(plain) ||
    REFERENCE.test(sentence) ||
    isReplaced(value)
  )
}

/** True for another option behind a flag that has no value: `-v`, `--fast`, `-verbose`. A value may begin with a dash as well. */
export function isOption(value: string): boolean {
  return /^-(?:[A-Za-z]|-?[a-z]{2,16}(?:-[a-z\d]{1,16})*(?:=.*)?)$/.test(value)
}

/** A count with its unit, as in `12.4M tok` and `1,204 req`. */
const COUNT = /^[<>~]?[-+]?\d[\d.,]{0,14} ?[A-Za-z%]{0,3}(?: [a-z/]{1,12}){0,4}$/

/** True for a value that stays where its name is not certain to name a secret: a number, a date, a version, a short word. */
export function isPlainValue(value: string): boolean {
  return (
    isHarmless(value) ||
    COUNT.test(value) ||
    /^[-+]?\d{1,15}(?:[.,]\d{1,9})?%?$/.test(value) ||
    /^\d{4}-\d\d-\d\d/.test(value)
  )
}
