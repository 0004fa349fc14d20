import { type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { openParts } from '../state/display-state.ts'

type SheetView = ComponentType<{ readonly onClose: () => void }>

/** Rarely opened sheets; each loads when it is first opened. */
const loaders = {
  glossary: async (): Promise<SheetView> => (await import('./further-sheets.tsx')).Glossary,
  routing: async (): Promise<SheetView> => (await import('./further-sheets.tsx')).Routing,
  shortcuts: async (): Promise<SheetView> => (await import('./further-sheets.tsx')).Shortcuts,
  palette: async (): Promise<SheetView> => (await import('./palette.tsx')).Palette,
  parts: async (): Promise<SheetView> => (await import('./quota-parts.tsx')).QuotaParts,
}
type SheetId = keyof typeof loaders

/** The open sheet; null if none is open. */
export const openSheet: Signal<SheetId | null> = signal(null)
const loaded = signal<Readonly<Partial<Record<SheetId, SheetView>>>>({})

export function LazySheets() {
  const id = openParts.value === null ? openSheet.value : 'parts'
  const close = () => {
    openSheet.value = null
    openParts.value = null
  }
  useEffect(() => {
    if (id === null || loaded.value[id] !== undefined) return
    loaders[id]().then(
      (View) => {
        loaded.value = { ...loaded.value, [id]: View }
      },
      // The monitor does not answer, and a banner already reports that.
      close,
    )
  }, [id])
  const View = id === null ? undefined : loaded.value[id]
  if (View === undefined) return null
  return <View onClose={close} />
}
