import { isOfAll, providerName } from '../state/providers.ts'

/** Name of an account's provider beside its title; nothing while one provider is shown, unless it is always needed. */
export function ProviderMark({
  provider,
  always = false,
}: {
  readonly provider: string
  readonly always?: boolean
}) {
  return always || isOfAll.value ? <span class="provider">{providerName(provider)}</span> : null
}
