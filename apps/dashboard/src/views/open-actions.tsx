import type { HealthItem } from '@svc/views'
import { tellsOfProxy } from '../parts/answer-line.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { ActionProviders } from '../parts/place.tsx'
import { Remedy, shown } from '../parts/text.tsx'
import { actionHref, scopedActions } from '../state/account-links.ts'
import { kiosk, wallLines } from '../state/display-state.ts'
import { health, isSilent } from '../state/live-data.ts'
import { viewHref } from '../state/route.ts'
import { providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'

const ROWS = 3
/** Number of additional rows on a tall screen. */
const MORE_ROWS = 5
/** Number of lines on a small screen; there and on a wall display, the last line counts the rest if there are more actions. */
const LINES = 4

/** Actions for the operator. `isBrief` shows several actions as one line plus remedy each, for a screen with little room. */
export function OpenActions({ isBrief = false }: { readonly isBrief?: boolean }) {
  const { own: actions, elsewhere } = scopedActions.value
  const lines = actions.length + Math.min(1, elsewhere.length)
  const isOnWall = kiosk.value !== ''
  const isListed = isOnWall || (isBrief && actions.length > 1)
  const room = isOnWall ? wallLines.value : LINES
  const [rows, moreRows] =
    isOnWall || isBrief ? [lines > room ? room - 1 : room, 0] : [ROWS, MORE_ROWS]
  return (
    <section class="need" aria-labelledby="title-need">
      <header>
        <h2 id="title-need">{strings.needsYou}</h2>
        <a href={viewHref('health')}>{strings.healthLink}</a>
      </header>
      {actions.length === 0 && (
        <p class="empty">
          {isSilent.value
            ? strings.notKnownSilent
            : health.value === null
              ? strings.waiting
              : strings.nothingToDo}
        </p>
      )}
      {actions.length + elsewhere.length > 0 && (
        <ul class="needs">
          {actions
            .slice(0, rows + moreRows)
            .map((action, index) =>
              isListed ? (
                <Line key={action.id} action={action} />
              ) : (
                <Row key={action.id} action={action} isMore={index >= rows} />
              ),
            )}
          <Rest
            actions={actions.slice(rows)}
            elsewhere={elsewhere.length}
            isHiddenIfTall={moreRows > 0}
          />
          {moreRows > 0 && (
            <Rest actions={actions.slice(rows + moreRows)} elsewhere={elsewhere.length} isMore />
          )}
        </ul>
      )}
    </section>
  )
}

/** Actions whose summary the answer says while the proxy does not answer. */
const IN_ANSWER = ['gateway_down', 'snapshot_stale']

/** Summary of an action; empty if the answer on the screen says it. */
function summaryOf({ code = '', upstream, summary }: HealthItem): string {
  const isSaid = tellsOfProxy() && upstream === undefined && IN_ANSWER.includes(code)
  return isSaid ? '' : shown(summary)
}

function Row({ action, isMore }: { readonly action: HealthItem; readonly isMore: boolean }) {
  const { note, tone } = action
  const summary = summaryOf(action)
  return (
    <li class={isMore ? 'more' : undefined}>
      <ToneIcon tone={tone} />
      <div>
        <What action={action} />
        {summary !== '' && <p>{summary}</p>}
        {note !== undefined && <Remedy note={note} />}
      </div>
    </li>
  )
}

function Line({ action }: { readonly action: HealthItem }) {
  const { note, tone } = action
  return (
    <li class="line">
      <ToneIcon tone={tone} />
      <div>
        <What action={action} /> <span>{summaryOf(action)}</span>
        {note !== undefined && <Remedy note={note} />}
      </div>
    </li>
  )
}

/** Title of an action with the providers it concerns. */
function What({ action }: { readonly action: HealthItem }) {
  return (
    <>
      <a class="what" href={actionHref(action) ?? viewHref('health')}>
        {shown(action.title)}
      </a>
      <ActionProviders action={action} />
    </>
  )
}

interface RestProps {
  readonly actions: readonly HealthItem[]
  /** Number of actions of other providers. */
  readonly elsewhere: number
  readonly isMore?: boolean
  readonly isHiddenIfTall?: boolean
}

/** Number of unlisted actions, of bad ones among them, and of those of other providers, with a link to Health. */
function Rest({ actions, elsewhere, isMore = false, isHiddenIfTall = false }: RestProps) {
  const urgent = actions.filter(({ tone }) => tone === 'bad').length
  const text = strings.listOf([
    ...(actions.length > 0 ? [strings.moreActions(actions.length, urgent)] : []),
    ...(elsewhere > 0 ? [providerWords.elsewhere(elsewhere)] : []),
  ])
  if (text === '') return null
  return (
    <li class={isMore ? 'more' : isHiddenIfTall ? 'less' : undefined}>
      {kiosk.value === '' ? (
        <a class="rest" href={viewHref('health')}>
          {text}
        </a>
      ) : (
        <span class="rest">{actions.length > 0 ? `+${text}` : text}</span>
      )}
    </li>
  )
}
