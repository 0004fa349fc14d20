import { cancel, confirm, isCancel, password, select, text } from '@clack/prompts'
import { isPlainUrl } from '@svc/config'
import { whyNoKey } from '@svc/doctor'
import { type StartWayId, startWays } from './start-ways.ts'

/** Thrown when a question is left with Ctrl-C or Esc. */
export class Cancelled extends Error {}

/** Asks on the terminal of this process. Every function throws Cancelled. */
export const questions = {
  async address(found: readonly string[]): Promise<string> {
    const other = ''
    const chosen =
      found.length === 0
        ? other
        : await answered(
            select({
              message: 'Which proxy is watched?',
              options: [...found, other].map((value) => ({
                value,
                label: value === other ? 'another address' : value,
              })),
            }),
          )
    if (chosen !== other) return chosen
    return answered(
      text({
        message: `Address of the proxy${found.length === 0 ? ' (none answers on this machine)' : ''}`,
        placeholder: 'http://127.0.0.1:8317',
        validate: (value) =>
          isPlainUrl(value ?? '') ? undefined : 'A whole address, as http://host:8317',
      }),
    )
  },
  key: (): Promise<string> =>
    answered(
      password({
        message: 'Management key of the proxy, in plain text (not its hash)',
        validate: (value = '') => (value.trim() ? whyNoKey(value.trim()) : 'A key is needed'),
      }),
    ),
  way: (possible: readonly StartWayId[]): Promise<StartWayId> =>
    answered(
      select({
        message: 'How does it run?',
        options: possible.map((value) => ({ value, label: startWays[value].label })),
      }),
    ),
  agreement: (message: string): Promise<boolean> => answered(confirm({ message })),
}

async function answered<Answer>(answer: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const value = await answer
  if (!isCancel(value)) return value as Exclude<Answer, symbol>
  cancel('Nothing was changed.')
  throw new Cancelled()
}
