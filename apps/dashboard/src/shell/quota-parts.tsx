import './sheets.css'
import { signal } from '@preact/signals'
import type { CapacityParts } from '@svc/views'
import { capacityTexts, unitsText } from '@svc/views/format'
import { useEffect } from 'preact/hooks'
import { setter, TryNow } from '../parts/button.tsx'
import { NameLink } from '../parts/text.tsx'
import { accountLinks } from '../state/account-links.ts'
import { followAnswer } from '../state/ask-regularly.ts'
import { openParts } from '../state/display-state.ts'
import { chosenPart } from '../state/live-data.ts'
import { windowTitle } from '../state/providers.ts'
import { usableQuota } from '../state/window-quota.ts'
import { partsWords as words } from '../words/sheet-words.ts'
import { strings } from '../words/strings.ts'
import { Sheet } from './sheet.tsx'

/** The last answer about the parts of the shown quota; null before the first. */
export const quotaParts = signal<CapacityParts | null>(null)
export const quotaPartsFailed = signal(false)

const REFRESH_MS = 15_000

/** Address of the parts of the shown quota. */
const quotaPartsPath = (): string =>
  `/api/v1/capacity${chosenPart.value === '' ? '' : `?${chosenPart.value}`}`

/** Requests the parts of the shown quota now, and regularly while the page is visible. The returned function ends this. */
function followQuotaParts(): () => void {
  const stop = followAnswer(quotaPartsPath(), quotaParts, quotaPartsFailed, REFRESH_MS)
  return () => {
    stop()
    quotaParts.value = null
  }
}

/** Maximum number of accounts of a state that are listed; the answer has all. */
const ROWS_MAX = 200

/** The accounts whose quota adds up to the shown numbers of a window, to the digit. */
export function QuotaParts({ onClose }: { readonly onClose: () => void }) {
  useEffect(followQuotaParts, [])
  const window = quotaParts.value?.windows.find(({ id }) => id === openParts.value)
  // The number was of a provider that is no longer chosen.
  const isGone = quotaParts.value !== null && window === undefined
  useEffect(() => {
    if (isGone) onClose()
  }, [isGone])
  return (
    <Sheet
      title={window === undefined ? words.title : windowTitle(window)}
      className="sheet parts"
      onClose={onClose}
    >
      {window === undefined ? (
        <p class="empty">
          {quotaPartsFailed.value ? (
            <>
              {words.failed} <TryNow />
            </>
          ) : (
            words.loading
          )}
        </p>
      ) : (
        <>
          <p>{window.text}</p>
          <table>
            <caption class="sr">{words.title}</caption>
            {(['usable', 'held', 'unknown'] as const).map((state) => (
              <State key={state} state={state} window={window} />
            ))}
          </table>
          <p class="dim small">
            <a href={quotaPartsPath()}>{words.all}</a>
          </p>
        </>
      )}
    </Sheet>
  )
}

type PartsWindow = NonNullable<typeof quotaParts.value>['windows'][number]

/** Closes the sheet, before the details of an account open. */
const closeParts = setter(openParts, null)

/** The parts of one state, largest first, below their sum. */
function State({
  state,
  window,
}: {
  readonly state: PartsWindow['parts'][number]['state']
  readonly window: PartsWindow
}) {
  const parts = window.parts.filter((part) => part.state === state)
  if (parts.length === 0) return null
  const { usable, held } = usableQuota(window)
  const sums = {
    usable: unitsText(usable),
    held: capacityTexts({ usable, stale: 0, held }).held,
    unknown: unitsText(window.unknownUnits),
  }
  return (
    <tbody>
      <tr class="sum">
        <th scope="rowgroup">{words.states[state](parts.length)}</th>
        <td class="number">{sums[state]}</td>
      </tr>
      {parts.slice(0, ROWS_MAX).map(({ accountKey, title, badge, stale, text }) => {
        const [link] = accountLinks([accountKey])
        return (
          <tr key={accountKey}>
            <th scope="row">
              <NameLink title={title} href={link?.href ?? null} onClick={closeParts} />{' '}
              <span class="badge">{badge}</span>
              {stale && <span class="dim"> {strings.legend.stale}</span>}
            </th>
            <td class="number">{text}</td>
          </tr>
        )
      })}
      {parts.length > ROWS_MAX && (
        <tr>
          <td class="dim">{words.more(parts.length - ROWS_MAX)}</td>
        </tr>
      )}
    </tbody>
  )
}
