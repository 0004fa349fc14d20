import type { JSX } from 'preact'

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
