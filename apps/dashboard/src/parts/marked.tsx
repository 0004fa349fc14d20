import type { JSX } from 'preact'

/** A text whose parts between asterisks are drawn by `children`. */
export function Marked({
  text,
  children,
}: {
  readonly text: string
  readonly children: (part: string) => JSX.Element
}) {
  return <>{text.split('*').map((part, index) => (index % 2 === 1 ? children(part) : part))}</>
}
