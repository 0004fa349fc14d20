import type { PoolAccount } from '../state/live-data.ts'
import { accountWords } from '../words/account-words.ts'
import { CopyButton } from './copy-button.tsx'
import { shown } from './name.tsx'

/** Names of an account for scripts, each with a copy button, and the codes of its blocking reasons. */
export function ScriptNames({
  selector,
  blockedReasons,
}: Pick<PoolAccount, 'selector' | 'blockedReasons'>) {
  return (
    <>
      <h3>{accountWords.forScripts}</h3>
      <dl class="pairs mono">
        {(['authName', 'authIndex', 'accountKey'] as const).map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {shown(selector[name])}{' '}
              <CopyButton name={accountWords.copyNamed(name)} text={() => shown(selector[name])} />
            </dd>
          </div>
        ))}
        {blockedReasons.length > 0 && (
          <div>
            <dt>blockedReasons</dt>
            <dd>{blockedReasons.join(' ')}</dd>
          </div>
        )}
      </dl>
    </>
  )
}
