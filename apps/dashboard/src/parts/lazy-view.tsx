import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { strings } from '../words/strings.ts'
import { Button } from './button.tsx'

export interface ViewProps {
  readonly title: string
}

const loads: (() => Promise<void>)[] = []

/** Wait after a failure, in milliseconds. */
const RETRY_MS = 10_000

/** A view, or a part of one, whose code loads when it is first shown, or ahead of time. `failure` replaces it if loading fails. */
export function lazyView<Props extends object = ViewProps>(
  load: () => Promise<ComponentType<Props>>,
  failure: string = strings.viewFailed,
): ComponentType<Props> {
  const Loaded = signal<ComponentType<Props> | null>(null)
  const isFailed = signal(false)
  let retry: ReturnType<typeof setTimeout> | undefined
  const loadOnce = async () => {
    try {
      Loaded.value ??= await load()
    } catch {
      isFailed.value = true
      clearTimeout(retry)
      retry = setTimeout(loadOnce, RETRY_MS)
    }
  }
  loads.push(loadOnce)
  return function LazyView(props: Props) {
    useEffect(() => void loadOnce(), [])
    const View = Loaded.value
    if (View !== null) return <View {...props} />
    if (!isFailed.value) return null
    return (
      <p class="empty">
        {failure} <Button onClick={() => void loadOnce()}>{strings.tryNow}</Button>
      </p>
    )
  }
}

/** Loads the code of all views, so that they open at once, even if the monitor no longer answers. */
export async function loadViewsAhead(): Promise<void> {
  await Promise.all(loads.map((load) => load()))
}
