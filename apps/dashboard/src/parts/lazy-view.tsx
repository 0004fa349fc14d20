import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { askAllNow } from '../state/ask-regularly.ts'
import { loadCode } from '../state/load-code.ts'
import { strings } from '../words/strings.ts'
import { TryNow } from './button.tsx'

export interface ViewProps {
  readonly title: string
}

const loads: (() => Promise<void>)[] = []

/** A view, or a part of one, whose code loads when it is first shown, or ahead of time. `failure` replaces it if loading fails. */
export function lazyView<Props extends object = ViewProps>(
  load: () => Promise<ComponentType<Props>>,
  failure: string = strings.viewFailed,
): ComponentType<Props> {
  const Loaded = signal<ComponentType<Props> | null>(null)
  const isFailed = signal(false)
  const fail = () => {
    isFailed.value = true
  }
  let loading: Promise<void> | undefined
  const loadOnce = () => {
    loading ??= loadCode(load, fail).then((View) => {
      Loaded.value = View
    })
    return loading
  }
  loads.push(loadOnce)
  return function LazyView(props: Props) {
    useEffect(() => {
      if (isFailed.value) askAllNow()
      else void loadOnce()
    }, [])
    const View = Loaded.value
    if (View !== null) return <View {...props} />
    if (!isFailed.value) return null
    return (
      <p class="empty">
        {failure} <TryNow />
      </p>
    )
  }
}

/** Loads the code of all views, so that they open at once, even if the monitor no longer answers. */
export async function loadViewsAhead(): Promise<void> {
  await Promise.all(loads.map((load) => load()))
}
