import type { Authority } from '@svc/config'
import { parse } from 'tldts'

/** Hosts under which anybody can register names: `com`, `co.uk`, `github.io`. A suffix unknown to the registries belongs to the local network. */
export function publicSuffixesOf(hosts: readonly Authority[]): readonly string[] {
  return hosts
    .map(({ host }) => host)
    .filter((host) => {
      const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
      return publicSuffix === host && (isIcann === true || isPrivate === true)
    })
}
