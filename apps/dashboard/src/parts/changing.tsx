import { useRef } from 'preact/hooks'

/** A text that fades in when it changes, and not when it is first drawn. */
export function Changing({ text }: { readonly text: string }) {
  const last = useRef({ text, changes: 0 })
  if (last.current.text !== text) last.current = { text, changes: last.current.changes + 1 }
  const { changes } = last.current
  // A new element begins its animation anew.
  return (
    <span key={changes} class={changes === 0 ? undefined : 'changed'}>
      {text}
    </span>
  )
}
