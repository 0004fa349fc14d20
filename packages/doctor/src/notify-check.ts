import { lookup } from 'node:dns/promises'
import { isOnThisMachine } from '@svc/config'
import type { NotifyTarget } from '@svc/core/notify'
import { checkAddress } from '@svc/notify'
import { readSecretLine } from '@svc/secret-files'
import { actionConditions, notifyConditions } from '@svc/views/messages'
import { hostOf } from './connection-trouble.ts'
import { type CheckVerdict, fail, ok, refusedFile, warn } from './finding.ts'

/** Checks a message target and sends nothing. The details repeat no part of its address. */
export async function notifyVerdict(
  target: NotifyTarget,
  stop: AbortSignal,
): Promise<CheckVerdict> {
  const { kind, urlFile } = target
  const seen = await readSecretLine(urlFile)
  if (seen.kind === 'problem') return refusedFile(seen.reason, urlFile, 'url_file')
  const text = seen.text.trim()
  if (!URL.canParse(text) || (await checkAddress(target)).kind === 'problem')
    return fail(
      'bad_address',
      `${urlFile} holds no address of a receiver of the kind ${kind}`,
      notifyConditions.bad_address.remedy,
    )
  const url = new URL(text)
  if (!(await isKnown(hostOf(url), stop)))
    return fail(
      'unknown_host',
      `the host name of the address in ${urlFile} is not known`,
      'Correct the address, or the name service of this machine.',
    )
  if (seen.readableByOthers)
    return warn(
      'readable_by_others',
      `other users of this machine can read ${urlFile}, whose address lets them send messages`,
      actionConditions.key_file_readable_by_others.remedy,
    )
  return url.protocol === 'https:' || isOnThisMachine(url)
    ? ok(`${kind}, with the address of ${urlFile}`)
    : warn(
        'plain_http',
        'plain http to another machine: whoever is in between can read the address and the messages',
        'Use https.',
      )
}

/** Whether a host name resolves. A lookup that is not finished by `stop` counts as success. */
async function isKnown(host: string, stop: AbortSignal): Promise<boolean> {
  const known = lookup(host).then(
    () => true,
    () => false,
  )
  const stopped = new Promise<true>((resolve) =>
    stop.addEventListener('abort', () => resolve(true), { once: true }),
  )
  return await Promise.race([known, stopped])
}
