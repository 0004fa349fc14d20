import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { strings } from '../words/strings.ts'

/** What every view is given. */
export interface ViewProps {
  readonly title: string
}

const loads: (() => Promise<void>)[] = []

/** A view whose code comes when it is first shown, or ahead of that. */
export function lazyView(load: () => Promise<ComponentType<ViewProps>>): ComponentType<ViewProps> {
  const Loaded = signal<ComponentType<ViewProps> | null>(null)
  const isFailed = signal(false)
  const loadOnce = async () => {
    try {
      Loaded.value ??= await load()
    } catch {
      isFailed.value = true
    }
  }
  loads.push(loadOnce)
  return function LazyView(props: ViewProps) {
    useEffect(() => void loadOnce(), [])
    const View = Loaded.value
    if (View !== null) return <View {...props} />
    return isFailed.value ? <p class="empty">{strings.viewFailed}</p> : null
  }
}

/** Fetches every view that is not there yet, so that they open at once, and still do when the monitor no longer answers. */
export async function loadViewsAhead(): Promise<void> {
  await Promise.all(loads.map((load) => load()))
}
