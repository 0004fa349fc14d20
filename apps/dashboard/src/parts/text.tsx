import type { ComponentChildren, JSX } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { privacy } from '../state/display-state.ts'
import { hideNames } from '../state/hidden-names.ts'
import { strings } from '../words/strings.ts'
import { type TermId, terms } from '../words/terms.ts'

/** The text, without names in privacy mode. */
export function shown(text: string): string {
  return privacy.value ? hideNames(text) : text
}

/** A name from outside: isolated from the page's text direction, on one line unless `wraps`, and cut if it does not fit. */
export function Name({ text, wraps = false }: { readonly text: string; readonly wraps?: boolean }) {
  // The suffix that distinguishes equal names is never cut off.
  const cut = wraps ? -1 : text.indexOf(' · ')
  if (cut > 0) {
    const [plan, ...further] = shown(text.slice(cut))
      .trimStart()
      .split(/(?= · )/)
    return (
      <span class="two-part">
        <Name text={text.slice(0, cut)} />
        <span class="suffix">
          <span class="of-plan">{plan}</span>
          {further.length > 0 && <span>{further}</span>}
        </span>
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

interface NameLinkProps {
  readonly title: string
  /** Null for an account that has left the pool. */
  readonly href: string | null
  readonly onClick?: () => void
}

/** Title of an account, linked to its details. */
export function NameLink({ title, href, onClick }: NameLinkProps) {
  const name = <Name text={title} />
  return href === null ? (
    name
  ) : (
    <a class="account" href={href} onClick={onClick}>
      {name}
    </a>
  )
}

/** Remedy of a problem, followed by `children`. */
export function Remedy({
  note,
  class: className = 'do',
  children,
}: {
  readonly note: string
  readonly class?: string
  readonly children?: ComponentChildren
}) {
  return (
    <p class={className}>
      <b>{strings.doLabel}</b>
      {strings.gap}
      {shown(note)}
      {children}
    </p>
  )
}

/** A text in which `children` draws the parts between asterisks. */
export function Marked({
  text,
  children,
}: {
  readonly text: string
  readonly children: (part: string) => JSX.Element
}) {
  return <>{text.split('*').map((part, index) => (index % 2 === 1 ? children(part) : part))}</>
}

/** A text with its parts between backticks shown as code. */
export function Coded({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </>
  )
}

/** A text whose end rolls in from the first letter that changes, and not when it is first drawn. */
export function Changing({ text }: { readonly text: string }) {
  const last = useRef({ text, from: text.length, changes: 0 })
  if (last.current.text !== text) {
    const before = last.current.text
    const from = [...text].findIndex((letter, index) => letter !== before[index])
    last.current = { text, from: Math.max(0, from), changes: last.current.changes + 1 }
  }
  const { from, changes } = last.current
  // A new element begins its animation anew.
  return (
    <span>
      {text.slice(0, from)}
      {changes > 0 && (
        <span key={changes} class="changed">
          {text.slice(from)}
        </span>
      )}
    </span>
  )
}

interface TermProps {
  readonly id: TermId
  /** Text to show instead of the word from `terms`. */
  readonly children?: ComponentChildren
}

/** Width of the box with the meaning, in pixels. The box opens the other way if it would not fit into the window. */
const MEANING_WIDTH = 300

/** A word whose explanation shows under the pointer, after a tap, or while the word has the focus. */
export function Term({ id, children }: TermProps) {
  const [isOpen, setOpen] = useState(false)
  const [isAtEnd, setAtEnd] = useState(false)
  const meaningId = useId()
  const { word, meaning } = terms[id]
  const open = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setAtEnd(currentTarget.getBoundingClientRect().left > innerWidth - MEANING_WIDTH)
    setOpen(true)
  }
  const close = () => setOpen(false)
  return (
    <span class="term">
      <button
        type="button"
        aria-describedby={isOpen ? meaningId : undefined}
        onFocus={open}
        onClick={open}
        onMouseEnter={open}
        onBlur={close}
        onMouseLeave={close}
        onKeyDown={({ key }) => {
          if (key === 'Escape') close()
        }}
      >
        {children ?? word}
      </button>
      {isOpen && (
        <span role="tooltip" id={meaningId} class={isAtEnd ? 'at-end' : undefined}>
          {meaning}
        </span>
      )}
    </span>
  )
}
