import { readsLikeWords } from '../patterns/tokens.ts'

/** True for code after a name that is not a value: a call, a type, a comparison, an expression. */
export function isCode(value: string): boolean {
  return (
    /^(?:[=!<>]=+ |[=!<>&|({[\])};,]+$|\/.*\/[gimsuy]*$)/.test(value) ||
    / (?:[=!]==?|&&|\|\||\?\?|=>) /.test(value) ||
    /^(?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*\([^)]*\);?,?$/.test(value) ||
    /^(?:string|number|boolean|str|int|bool|bytes|any|unknown|Buffer|Redacted|null|undefined|void|char|uint8|byte|String|Option|Optional)\b[ \t\r\n|<>[\]?*,;=)]*(?:(?:null|undefined|string|number)[ \t\r\n|,;=)]*)*$/.test(
      value,
    )
  )
}

/** True for a type after a colon: `auth: RefreshAuth,`. */
export function isType(text: string, start: number, value: string): boolean {
  return (
    /:[ \t]$/.test(text.slice(start - 2, start)) &&
    /^(?:[A-Z][a-z]+){2,}[,;)]?$/.test(value) &&
    readsLikeWords(value)
  )
}
