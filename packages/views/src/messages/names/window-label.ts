import type { MainWindowId, WindowId } from '@svc/core'
import { isMainWindow } from '@svc/core/service'
import { capitalised } from '../../format/format.ts'

interface WindowNames {
  /** Windows of the account itself rather than of a scope. */
  readonly own: Readonly<Record<MainWindowId | 'day' | 'month' | 'spend' | 'limit', string>>
  /** Names a window that only its length identifies. */
  durationText(seconds: number): string
  /** Names a limit of another scope, such as one feature. */
  ofScope(scope: string, label: string): string
}

/** Whether a limit is an amount rather than a share of time. */
export const isAmount = (id: WindowId): boolean => id === 'spend' || id === 'limit'

export function createWindowLabel({ own, durationText, ofScope }: WindowNames) {
  const ownLabel = (kind: string): string => {
    if (isNamed(kind)) return own[kind]
    return /^\d+s$/.test(kind) ? durationText(Number.parseInt(kind, 10)) : kind
  }
  const isNamed = (kind: string): kind is keyof typeof own => Object.hasOwn(own, kind)

  /** `scopeLabel`: the vendor's name for the scope of a window; left out: its id has to do. */
  return (id: WindowId, scopeLabel?: string): string => {
    if (isMainWindow(id)) return ownLabel(id)
    const parts = id.split(':')
    const kind = parts.at(-1) ?? id
    const scope = parts[0] === 'extra' ? parts.slice(1, -1).join(':') : (parts[0] ?? '')
    return ofScope(scopeLabel ?? capitalised(scope.replaceAll('_', ' ')), ownLabel(kind))
  }
}
