import { capitalised, countedText, countText } from '../../format/format.ts'

/** Accounts of providers that are not watched: those named, the rest, and all of them. */
interface Unwatched {
  readonly named: readonly (readonly [provider: string, count: number])[]
  readonly restCount: number
  readonly total: number
}

/** Source and age of the numbers. Times are worded for the middle of a sentence. */
export const snapshotSource = {
  live: ({ accounts, readAt }: { readonly accounts: string; readonly readAt: string | null }) =>
    `Live: ${accounts}${readAt === null ? '' : `, read ${readAt}`}`,
  partial: (failedSources: readonly string[]) =>
    `Partly live: ${failedSources.length === 0 ? 'some sources' : failedSources.join(', ')} failed`,
  stale: (answeredAt: string | null) =>
    answeredAt === null
      ? 'Old account list'
      : `Old account list: the proxy last answered ${answeredAt}`,
  unavailable: (missing: string) => `No data yet: ${missing}`,
  demo: (accountCount: number) => `Demo: ${countedText(accountCount, 'sample account')}`,
  /** Pieces that the first reading can lack. */
  missing: {
    anything: 'waiting for the first reading',
    key: 'no management key',
    keyFile: 'the management key file cannot be used',
    keyAccepted: 'the proxy refused the management key',
    access: 'the proxy refuses management from this address',
    banEnd: (until: string) => `the proxy bans this address until ${until}`,
  },
  unwatched: ({ named, restCount, total }: Unwatched) => {
    const parts = named.map(([provider, count]) => `${countText(count)} ${capitalised(provider)}`)
    if (restCount > 0) parts.push(`${countText(restCount)} other`)
    return `${parts.join(', ')} ${total === 1 ? 'account is' : 'accounts are'} not watched`
  },
}
