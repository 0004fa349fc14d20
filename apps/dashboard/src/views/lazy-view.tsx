import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { strings } from '../words/strings.ts'

/** What every view is given. */
export interface ViewProps {
  readonly title: string
}

const loads: (() => Promise<void>)[] = []

/** A view, or a part of one, whose code comes when it is first shown, or ahead of that. `failure` says that it did not come. */
export function lazyView<Props extends object = ViewProps>(
  load: () => Promise<ComponentType<Props>>,
  failure: string = strings.viewFailed,
): ComponentType<Props> {
  const Loaded = signal<ComponentType<Props> | null>(null)
  const isFailed = signal(false)
  const loadOnce = async () => {
    try {
      Loaded.value ??= await load()
    } catch {
      isFailed.value = true
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
        {failure}{' '}
        <button type="button" class="button" onClick={() => void loadOnce()}>
          {strings.tryNow}
        </button>
      </p>
    )
  }
}

/** Fetches every view that is not there yet, so that they open at once, and still do when the monitor no longer answers. */
export async function loadViewsAhead(): Promise<void> {
  await Promise.all(loads.map((load) => load()))
}
