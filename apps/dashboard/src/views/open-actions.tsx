import { ToneIcon } from '../parts/icon.tsx'
import { shown } from '../parts/text.tsx'
import { accountsHref } from '../state/account-links.ts'
import { kiosk } from '../state/display-state.ts'
import { health, isSilent } from '../state/live-data.ts'
import { viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

const ROWS = 3
/** Number of additional rows on a tall screen. */
const MORE_ROWS = 5
/** Number of lines on a wall display and on a small screen; if there are more actions, the last line counts the rest. */
const LINES = 4

type Action = NonNullable<typeof health.value>['actions'][number]

/** Actions for the operator. `isBrief` shows several actions as one line plus remedy each, for a screen with little room. */
export function OpenActions({ isBrief = false }: { readonly isBrief?: boolean }) {
  const actions = health.value?.actions ?? []
  const isOnWall = kiosk.value !== ''
  const isListed = isOnWall || (isBrief && actions.length > 1)
  const [rows, moreRows] =
    isOnWall || isBrief ? [actions.length > LINES ? LINES - 1 : LINES, 0] : [ROWS, MORE_ROWS]
  return (
    <section class="need" aria-labelledby="title-need">
      <header>
        <h2 id="title-need">{strings.needsYou}</h2>
        <a href={viewHref('health')}>{strings.healthLink}</a>
      </header>
      {actions.length === 0 ? (
        <p class="empty">{isSilent.value ? strings.notKnownSilent : strings.nothingToDo}</p>
      ) : (
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
          <Rest actions={actions.slice(rows)} isHiddenIfTall={moreRows > 0} />
          {moreRows > 0 && <Rest actions={actions.slice(rows + moreRows)} isMore />}
        </ul>
      )}
    </section>
  )
}

function Row({ action, isMore }: { readonly action: Action; readonly isMore: boolean }) {
  const { title, summary, note, tone, accountKeys } = action
  return (
    <li class={isMore ? 'more' : undefined}>
      <ToneIcon tone={tone} />
      <div>
        <a class="what" href={accountsHref(accountKeys) ?? viewHref('health')}>
          {shown(title)}
        </a>
        <p>{shown(summary)}</p>
        {note !== undefined && <Do note={note} />}
      </div>
    </li>
  )
}

function Line({ action }: { readonly action: Action }) {
  const { title, summary, note, tone, accountKeys } = action
  return (
    <li class="line">
      <ToneIcon tone={tone} />
      <div>
        <a class="what" href={accountsHref(accountKeys) ?? viewHref('health')}>
          {shown(title)}
        </a>{' '}
        <span>{shown(summary)}</span>
        {note !== undefined && <Do note={note} />}
      </div>
    </li>
  )
}

function Do({ note }: { readonly note: string }) {
  return (
    <p class="do">
      <b>{strings.doLabel}</b>
      {strings.gap}
      {shown(note)}
    </p>
  )
}

interface RestProps {
  readonly actions: readonly Action[]
  readonly isMore?: boolean
  readonly isHiddenIfTall?: boolean
}

/** Number of unlisted actions, and of bad ones among them, with a link to Health. */
function Rest({ actions, isMore = false, isHiddenIfTall = false }: RestProps) {
  if (actions.length === 0) return null
  const text = strings.moreActions(
    actions.length,
    actions.filter(({ tone }) => tone === 'bad').length,
  )
  return (
    <li class={isMore ? 'more' : isHiddenIfTall ? 'less' : undefined}>
      {kiosk.value === '' ? (
        <a class="rest" href={viewHref('health')}>
          {text}
        </a>
      ) : (
        <span class="rest">{`+${text}`}</span>
      )}
    </li>
  )
}
