import type { IncomingHttpHeaders } from 'node:http'
import { type ReadyAnswer, type ReadyForm, versionOf } from '../answers/ready-answer.ts'
import { accepts } from './accept-encoding.ts'

/** Answers with bytes that are ready: in the smallest form the client takes, 304 where it has that one already. `since`: the version that it has, in any form. */
export function readyBytes(
  answer: ReadyAnswer,
  { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
  since: string | null = null,
): Response {
  const { bytes, etag, headers, unchangedHeaders } = formFor(answer, acceptEncoding)
  return since === versionOf(answer) || hasEtag(ifNoneMatch, etag)
    ? new Response(null, { status: 304, headers: unchangedHeaders })
    : new Response(bytes, { headers })
}

function formFor({ plain, gzip, br }: ReadyAnswer, acceptEncoding: string | undefined): ReadyForm {
  if (acceptEncoding === undefined) return plain
  if (br !== null && accepts(acceptEncoding, 'br')) return br
  return gzip !== null && accepts(acceptEncoding, 'gzip') ? gzip : plain
}

/** Whether the validators of If-None-Match include this one. The comparison is weak. Source: RFC 9110 13.1.2. */
export function hasEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
