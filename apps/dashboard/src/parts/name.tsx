import { privacy } from '../state/display-state.ts'
import { hideNames } from '../state/hidden-names.ts'

/** The text, without names in privacy mode. */
export function shown(text: string): string {
  return privacy.value ? hideNames(text) : text
}

/** A name from outside: isolated from the page's text direction, on one line unless `wraps`, and cut if it does not fit. */
export function Name({ text, wraps = false }: { readonly text: string; readonly wraps?: boolean }) {
  // The suffix that distinguishes equal names is never cut off.
  const cut = wraps ? -1 : text.indexOf(' · ')
  if (cut > 0) {
    return (
      <span class="two-part">
        <Name text={text.slice(0, cut)} />
        <span class="suffix">{shown(text.slice(cut).trimStart())}</span>
      </span>
    )
  }
  const name = shown(text)
  const at = Math.max(0, name.indexOf('@'))
  return (
    // An address reads from left to right, whichever script its first part uses.
    <bdi
      class={wraps ? 'name wraps' : 'name'}
      dir={name.includes('@') ? 'ltr' : 'auto'}
      title={wraps ? undefined : name}
    >
      {name.slice(0, at)}
      {/* On two lines, the second starts at the @. */}
      {at > 0 && <wbr />}
      {name.slice(at)}
    </bdi>
  )
}
