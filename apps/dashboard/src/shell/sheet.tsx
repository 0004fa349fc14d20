import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { strings } from '../words/strings.ts'

/** A dialog over the page, open while it is rendered. The browser then returns the focus to its previous place. */
export function Sheet({
  title,
  className = 'sheet',
  onClose,
  children,
}: {
  readonly title: string
  readonly className?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      // Of what it does itself nobody need be told.
      dialog.current = null
      shown?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-label={title}
      onClose={() => dialog.current && onClose()}
    >
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          class="button square bare"
          aria-label={strings.close}
          onClick={() => {
            dialog.current?.close()
            onClose()
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
