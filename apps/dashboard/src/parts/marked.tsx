import type { JSX } from 'preact'

/** A text in which what stands between asterisks is marked: as `children` draws it. */
export function Marked({
  text,
  children,
}: {
  readonly text: string
  readonly children: (part: string) => JSX.Element
}) {
  return <>{text.split('*').map((part, index) => (index % 2 === 1 ? children(part) : part))}</>
}
