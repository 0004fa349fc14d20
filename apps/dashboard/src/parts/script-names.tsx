import type { PoolAccount } from '../state/live-data.ts'
import { accountWords } from '../words/account-words.ts'
import { CopyButton } from './copy-button.tsx'
import { shown } from './name.tsx'

/** What scripts call an account, each name to be copied. */
export function ScriptNames({ selector }: Pick<PoolAccount, 'selector'>) {
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
      </dl>
    </>
  )
}
