import { PSEUDONYM } from './pseudonyms.ts'

/** A stretch of text that must not stay. `value` is what equal stretches share, whatever form they have. */
export interface Hit {
  /** Where what tells it begins, as the name before a value does. */
  readonly from: number
  readonly start: number
  readonly end: number
  readonly value: string
}

/** Finds values that are known to be secret in any of their forms. */
export interface KnownValues {
  /** In order, without overlaps. */
  find(text: string): readonly Hit[]
}

/** Shorter ones stand in ordinary words. */
const LENGTH_MIN = 6
/** Characters of a form by which it is looked up. */
const PREFIX_LENGTH = 6
const FILTER_SIZE = 1 << 16

/** Every value as it stands, as JSON, a URL and Base64 write it. Source: outputs-and-redaction 1.10, layer 1. */
export function createKnownValues(values: Iterable<string>): KnownValues {
  const formsByPrefix = new Map<string, { readonly form: string; readonly value: string }[]>()
  // Most places of a text can be told from every prefix by three characters.
  const filter = new Uint8Array(FILTER_SIZE)
  for (const value of new Set(values)) {
    if (value.length < LENGTH_MIN || PSEUDONYM.test(value)) continue
    for (const form of formsOf(value)) {
      const prefix = form.slice(0, PREFIX_LENGTH)
      const forms = formsByPrefix.get(prefix) ?? []
      forms.push({ form, value })
      formsByPrefix.set(prefix, forms)
      filter[slotOf(form, 0)] = 1
    }
  }
  for (const forms of formsByPrefix.values()) forms.sort((one, other) => other.form.length - one.form.length)
  return {
    find(text) {
      const hits: Hit[] = []
      if (formsByPrefix.size === 0) return hits
      for (let start = 0; start + PREFIX_LENGTH <= text.length; start += 1) {
        if (filter[slotOf(text, start)] === 0) continue
        const forms = formsByPrefix.get(text.slice(start, start + PREFIX_LENGTH))
        const found = forms?.find(({ form }) => text.startsWith(form, start))
        if (found === undefined) continue
        hits.push({ from: start, start, end: start + found.form.length, value: found.value })
        start += found.form.length - 1
      }
      return hits
    },
  }
}

function slotOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1) * 521 + text.charCodeAt(at + 2) * 8191) & (FILTER_SIZE - 1)
}

function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const percent = encodeURIComponent(Buffer.from(value).toString())
  const lowerPercent = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const forms = [value, json, ascii, json.replaceAll('@', '\\u0040'), JSON.stringify(json).slice(1, -1), percent, lowerPercent]
  for (const base64 of base64Forms(value)) forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set(forms)].filter((form) => form.length >= LENGTH_MIN)
}

/** The characters that stand for it wherever it begins inside of something longer. */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // The first and the last character also hold bits of the neighbours.
    const begin = offset === 0 ? 0 : offset + 1
    const spare = (bytes.length + offset) % 3 === 0 ? 0 : 1
    return text.slice(begin, text.length - spare)
  })
}
