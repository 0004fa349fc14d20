import type { WindowId } from '@svc/core'
import { isMainWindow, isMainWindowId, mainWindowOf } from '@svc/core/service'
import { capitalised, durationText } from '../../format/format.ts'

/** A window as shown: `5h`, `Weekly`, `Code review weekly`. */
export function windowLabel(id: WindowId): string {
  if (isMainWindow(id)) return mainWindowLabel(id)
  const parts = id.split(':')
  const kind = parts.at(-1) ?? id
  const scope = parts[0] === 'extra' ? parts.slice(1, -1).join(':') : (parts[0] ?? '')
  return `${capitalised(scope.replaceAll('_', ' '))} ${mainWindowLabel(kind).toLowerCase()}`
}

function mainWindowLabel(kind: string): string {
  if (isMainWindowId(kind)) return mainWindowOf(kind).label
  switch (kind) {
    case 'month':
      return 'Monthly'
    case 'spend':
      return 'Spending limit'
    case 'limit':
      return 'Limit'
    default:
      return /^\d+s$/.test(kind) ? durationText(Number.parseInt(kind, 10)) : kind
  }
}
