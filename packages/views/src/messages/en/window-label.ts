import { perWindow } from '@svc/core/service'
import { durationText } from '../../format/format.ts'
import { createWindowLabel } from '../names/window-label.ts'

/** A window as shown: `5h`, `Weekly`, `Code review weekly`. */
export const windowLabel = createWindowLabel({
  own: {
    ...perWindow(({ label }) => label),
    day: 'Daily',
    month: 'Monthly',
    spend: 'Spending limit',
    limit: 'Limit',
  },
  durationText,
  ofScope: (scope, label) => `${scope} ${label.toLowerCase()}`,
})
