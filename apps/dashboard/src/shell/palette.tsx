import { setter } from '../parts/button.tsx'
import './sheets.css'
import { useState } from 'preact/hooks'
import { copyText } from '../parts/copy.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { shown } from '../parts/text.tsx'
import { clearFilters, filterIds } from '../state/account-filters.ts'
import { accountsTableHref } from '../state/account-links.ts'
import { blockedCauses, found, marks, paidChoices, plans } from '../state/account-search.ts'
import { chosenProvider, chosenUpstream, nextTheme, privacy } from '../state/display-state.ts'
import { allUpstreams } from '../state/fleet.ts'
import { chosenPart, EVERY_PROVIDER, status } from '../state/live-data.ts'
import { accountKeyOf, openAccount, shownAccounts } from '../state/pool.ts'
import { allPools, homeProvider, isOfAll, providerOf, providerTitle } from '../state/providers.ts'
import { cancelRefresh, refresh, refreshAccount } from '../state/refresh.ts'
import { accountHref, goTo, viewHref } from '../state/route.ts'
import { views } from '../views/view-table.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { Sheet } from './sheet.tsx'

interface Command {
  readonly id: string
  readonly icon: IconName
  readonly text: string
  readonly run: () => void
}

/** Maximum number of listed commands; a longer query narrows them down. */
const COMMANDS_MAX = 50

/** Refresh commands that are possible now. */
function refreshActions(): readonly Command[] {
  const cancel = { id: 'cancel', icon: 'close', text: strings.cancelRefresh } as const
  if (status.value?.summary.manualRefresh.status === 'running')
    return [{ ...cancel, run: () => void cancelRefresh() }]
  const accountKey = openAccount.value?.selector.accountKey
  const all = { id: 'refresh', icon: 'refresh', text: strings.refreshAll } as const
  const one = { id: 'refresh-one', icon: 'refresh', text: strings.refreshOne } as const
  return [
    { ...all, run: () => void refresh('default') },
    ...(accountKey === undefined ? [] : [{ ...one, run: () => void refreshAccount(accountKey) }]),
  ]
}

const actions = (): readonly Command[] => [
  ...refreshActions(),
  {
    id: 'privacy',
    icon: privacy.value ? 'eye' : 'eyeOff',
    text: privacy.value ? strings.privacyShow : strings.privacyHide,
    run: () => {
      privacy.value = !privacy.value
    },
  },
  { id: 'theme', icon: 'more', text: strings.nextTheme, run: nextTheme },
  ...proxies(),
  ...providers(),
  {
    id: 'copy-link',
    icon: 'more',
    text: strings.copyLink,
    run: () => void copyText(location.href),
  },
  {
    id: 'copy-command',
    icon: 'more',
    text: strings.copyCommand,
    run: () => void copyText(`curl -s ${location.origin}${rankingPath()}`),
  },
]

const rankingPath = () =>
  `/api/v1/recommendations${chosenPart.value === '' ? '' : `?${chosenPart.value}`}`

const proxies = (): readonly Command[] =>
  ['', ...allUpstreams.value.map(({ name }) => name)]
    .filter((name) => allUpstreams.value.length > 1 && name !== chosenUpstream.value)
    .map((name) => ({
      id: `proxy-${name}`,
      icon: 'overview',
      text: name === '' ? fleetWords.showAll : fleetWords.showOnly(name),
      run: setter(chosenUpstream, name),
    }))

/** Commands that select the accounts of one of several providers, or of all. */
const providers = (): readonly Command[] =>
  (allPools.value.length < 2
    ? []
    : [EVERY_PROVIDER, ...allPools.value.map(({ provider }) => provider)]
  )
    .map((provider) => ({ provider, choice: provider === homeProvider.value ? '' : provider }))
    .filter(({ choice }) => choice !== chosenProvider.value)
    .map(({ provider, choice }) => ({
      id: `provider-${provider}`,
      icon: 'overview',
      text:
        provider === EVERY_PROVIDER
          ? providerWords.all
          : fleetWords.showOnly(providerTitle(provider)),
      run: setter(chosenProvider, choice),
    }))

/** Commands that open the table of accounts by plan, or with a single filter. */
const filtered = (): readonly Command[] =>
  [
    ...filterIds
      .filter((id) => id !== 'all')
      .map((id) => ({ name: 'f', id, text: accountsWords.filters[id] })),
    ...plans.value.map((choice) => ({ ...choice, name: 'plan' })),
    ...marks.value.map((choice) => ({ ...choice, name: 'status' })),
    ...blockedCauses.value.map((choice) => ({ ...choice, name: 'by' })),
    ...paidChoices.value.map(({ id, text }) => ({
      id,
      name: 'paid',
      text: accountsWords.paidCommand(text),
    })),
    { name: 'group', id: 'plan', text: accountsWords.groupByPlan },
  ]
    // A state and its cause may have the name of a filter, and then its accounts.
    .filter(({ text }, index, all) => all.findIndex((each) => each.text === text) === index)
    .map(({ name, id, text }) => ({
      id: `filter-${name}-${id}`,
      icon: 'accounts',
      text: accountsWords.showFilter(text),
      run: () => goTo(accountsTableHref({ [name]: id })),
    }))

/** Command palette: opens any view or account, and runs any function of the page, by a part of its name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const commands = commandsFor(query)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') run(commands[chosen])
    else if (step === undefined) return
    else if (commands.length > 0) setChosen((chosen + step + commands.length) % commands.length)
    event.preventDefault()
  }
  return (
    <Sheet title={strings.palette} className="sheet palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={strings.palette}
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={commands[chosen] === undefined ? undefined : `command-${chosen}`}
        placeholder={strings.palettePlaceholder}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label={strings.palette}>
        {commands.map((command, index) => (
          <button
            key={command.id}
            id={`command-${index}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView?.({ block: 'nearest' })
            }}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} /> <bdi>{command.text}</bdi>
          </button>
        ))}
      </div>
      <p class="dim" role="status">
        {commands.length === 0 && strings.noCommand}
      </p>
    </Sheet>
  )
}

/** Commands whose text contains every word of the query: views, then actions, then filters, then accounts. */
function commandsFor(query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/)
  const all: readonly Command[] = [
    ...views.map(({ id, title, icon }) => ({
      id: `view-${id}`,
      icon,
      text: title,
      run: () => goTo(viewHref(id)),
    })),
    ...actions(),
    ...filtered(),
    ...shownAccounts.value.map((account) => ({
      id: `account-${accountKeyOf(account)}`,
      icon: 'accounts' as const,
      text: isOfAll.value
        ? `${providerTitle(providerOf(account))} ${shown(account.title)}`
        : shown(account.title),
      run: () => {
        // A filter that hides the account's row would leave its details without a row.
        if (!found.value.some((row) => row.account === account)) clearFilters()
        goTo(accountHref(accountKeyOf(account)))
      },
    })),
  ]
  return all
    .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
    .slice(0, COMMANDS_MAX)
}
