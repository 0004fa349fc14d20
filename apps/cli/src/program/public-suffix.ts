import type { Authority } from '@svc/config'
import { parse } from 'tldts'

/** Those of the hosts under which anybody can register names: `com`, `co.uk`, `github.io`. A name that no registry knows is one of the own network. */
export function publicSuffixesOf(hosts: readonly Authority[]): readonly string[] {
  return hosts
    .map(({ host }) => host)
    .filter((host) => {
      const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
      return publicSuffix === host && (isIcann === true || isPrivate === true)
    })
}
