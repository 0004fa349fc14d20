import type { HealthItem } from '@svc/views'
import { countText } from '@svc/views/format'
import { Button } from '../parts/button.tsx'
import { Command } from '../parts/copy.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { ActionProviders } from '../parts/place.tsx'
import { Readers } from '../parts/readers.tsx'
import { Coded, NameLink, Remedy, shown } from '../parts/text.tsx'
import { KEY_REFUSED, TryKey } from '../parts/try-key.tsx'
import { accountsHref, actionHref, affectedHref, scopedActions } from '../state/account-links.ts'
import { privacy } from '../state/display-state.ts'
import { health, isSilent, wholeHealth } from '../state/live-data.ts'
import { providerTitle, shownPool } from '../state/providers.ts'
import { goTo } from '../state/route.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { healthWords } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'
import { HealthDays } from './health-days.tsx'
import { findProxyPages, Proxies } from './proxies.tsx'
import { RecentChanges } from './recent-changes.tsx'
import './health.css'

/** Actions, sources, the last thirty days, recent changes, and how to be told of trouble. */
export function HealthView() {
  const now = health.value
  if (now === null) return <p class="empty">{strings.waiting}</p>
  const { own, elsewhere } = scopedActions.value
  const allCount = wholeHealth.value?.actions.length ?? 0
  return (
    <>
      <div class="columns">
        <section aria-labelledby="title-actions">
          <h2 id="title-actions" class="headline">
            {now.actions.length > 0 || now.state === 'unknown'
              ? now.pill
              : isSilent.value
                ? strings.notKnownSilent
                : strings.nothingToDo}
            {allCount > now.actions.length && (
              <span class="dim"> {fleetWords.actionsOfAll(allCount)}</span>
            )}
          </h2>
          {now.actions.length === 0 && now.state !== 'good' && (
            <p class="dim">{shown(now.summary)}</p>
          )}
          <Actions actions={own} />
          {elsewhere.length > 0 && (
            <>
              {own.length === 0 && (
                <p class="dim">
                  {strings.reading(
                    providerTitle(shownPool.value?.provider ?? ''),
                    strings.nothingToDo,
                  )}
                </p>
              )}
              <h3 class="elsewhere">{providerWords.elsewhere(elsewhere.length)}</h3>
              <Actions actions={elsewhere} />
            </>
          )}
        </section>
        <section aria-labelledby="title-sources">
          <Proxies />
          <h2 id="title-sources">{now.sourcesTitle ?? strings.sources}</h2>
          <table class="sources">
            <caption class="sr">{strings.sources}</caption>
            <tbody>
              {now.sources.map((source) => (
                <SourceRow key={source.id} source={source} />
              ))}
            </tbody>
          </table>
          <Readers />
        </section>
      </div>
      <HealthDays />
      <section class="recent" aria-labelledby="title-changes">
        <h2 id="title-changes">{now.recentChangesTitle ?? strings.recentChanges}</h2>
        <RecentChanges />
      </section>
      <NotifierList />
    </>
  )
}

function Actions({ actions }: { readonly actions: readonly HealthItem[] }) {
  return (
    <ul>
      {actions.map((action) => (
        <li key={action.id} class="action">
          <ToneIcon tone={action.tone} />
          <div>
            <h3>
              <ActionTitle action={action} />
              <ActionProviders action={action} />
            </h3>
            <ActionWords action={action} />
            {action.note !== undefined && (
              <Remedy note={action.note}>
                {RENEWED_THERE.has(action.code ?? '') && <ProxyPages action={action} />}
              </Remedy>
            )}
            {action.code === KEY_REFUSED && <TryKey />}
          </div>
        </li>
      ))}
    </ul>
  )
}

function SourceRow({ source }: { readonly source: HealthItem }) {
  const { code, tone, title, badge, summary, detail, note } = source
  return (
    <tr>
      <th scope="row">
        <ToneIcon tone={code === 'off' ? 'off' : tone} />
        {title}
      </th>
      <td>{badge}</td>
      <td>
        <p>{shown(summary)}</p>
        {detail !== undefined && (
          <p class={tone === 'good' ? 'dim small' : undefined}>{shown(detail)}</p>
        )}
        {note !== undefined && <Remedy note={note} class="small" />}
      </td>
    </tr>
  )
}

/** Title of an action, linked to its accounts if it has any. */
function ActionTitle({ action }: { readonly action: HealthItem }) {
  const href = actionHref(action)
  return href === null ? (
    <span>{shown(action.title)}</span>
  ) : (
    <a href={href}>{shown(action.title)}</a>
  )
}

/** Actions whose remedy is a change of the proxy's auth files. */
const RENEWED_THERE: ReadonlySet<string> = new Set(['auth_invalid', 'deactivated', 'login_wave'])

/** Links to the web pages of the proxies; renders nothing while names are hidden, because an address is a name. */
function ProxyPages({ action: { accountKeys } }: { readonly action: HealthItem }) {
  if (privacy.value) return null
  return (
    <>
      {findProxyPages(accountKeys).map(({ upstream, href }) => (
        <span key={href}>
          {strings.gap}
          <a
            class="proxy-page"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            referrerpolicy="no-referrer"
          >
            {healthWords.proxyPage(upstream)}
          </a>
        </span>
      ))}
    </>
  )
}

/** Maximum number of accounts of an action that are named; the others are in the table. */
const NAMES_MAX = 5

/** Words of an action. If it concerns several accounts, their names are links. */
function ActionWords({ action }: { readonly action: HealthItem }) {
  const { summary, detail, accountKeys, affected = [] } = action
  const links = affected.flatMap(({ provider, accounts }) =>
    accounts.map((account) => ({ title: account.title, href: affectedHref(provider, account) })),
  )
  const count = affected.reduce((sum, each) => sum + each.count, 0)
  if (count < 2)
    return <p>{shown([summary, detail].filter((part) => part !== undefined).join(strings.gap))}</p>
  return (
    <>
      <p>{shown(summary)}</p>
      <ul class="names">
        {links.slice(0, NAMES_MAX).map(({ title, href }) => (
          <li key={href}>
            <NameLink title={title} href={href} />
          </li>
        ))}
        {count > NAMES_MAX && (
          <li>
            <a href={accountsHref(accountKeys) ?? ''}>{strings.allAccounts(count)}</a>
          </li>
        )}
      </ul>
    </>
  )
}

/** Ways to be notified of trouble, with the commands for each. */
const WAYS = [
  { id: 'messages', commands: ['notify --test'] },
  { id: 'tab', commands: [] },
  { id: 'wall', commands: [] },
  { id: 'alerts', commands: ['init prometheus', 'init rules', 'init alertmanager'] },
  { id: 'scripts', commands: ['doctor'] },
] as const

/** The targets of messages, and the ways to be notified of trouble with instructions for each. */
export function NotifierList() {
  return (
    <section class="told" aria-labelledby="title-told">
      <h2 id="title-told">{healthWords.told}</h2>
      <Targets />
      <ul>
        {WAYS.map(({ id, commands }) => (
          <li key={id}>
            <h3>{healthWords.ways[id].title}</h3>
            <p>
              <Coded text={healthWords.ways[id].what} />
            </p>
            {id === 'wall' && <ShowWall />}
            {commands.map((command) => (
              <Command key={command} text={`svc-quota-monitor ${command}`} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Targets of messages and their delivery state. Renders nothing without targets. */
function Targets() {
  const { messages = [] } = health.value ?? {}
  if (messages.length === 0) return null
  return (
    <table class="sources targets">
      <caption>{healthWords.messages}</caption>
      <tbody>
        {messages.map(({ name, kind, sentCount, tone, text }) => (
          <tr key={name}>
            <th scope="row">
              <ToneIcon tone={tone} />
              {name} <span class="dim">{kind}</span>
            </th>
            <td>{healthWords.sent(countText(sentCount))}</td>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ShowWall() {
  return <Button onClick={() => goTo('#overview?kiosk=rotate')}>{healthWords.showWall}</Button>
}
