import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { top } from '../tooling/top.ts'

/** Every JSON path of the published contract. */
export const jsonPaths = [
  '/healthz',
  '/api/v1/status',
  '/api/v1/recommendations',
  '/api/v1/capacity',
  '/api/v1/pick',
  '/api/v1/health',
  '/api/v1/stats',
  '/api/v1/stats/series',
] as const

const document = JSON.parse(readFileSync(join(top, 'docs/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: Readonly<Record<string, unknown>> } }>
  >
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

/** What is wrong with the body of a 200 answer of this path by docs/openapi.json; empty when nothing is. */
export function contractErrors(path: string, body: unknown): readonly string[] {
  const pointer = `openapi#/paths/${path.replaceAll('/', '~1')}/get/responses/200/content/application~1json/schema`
  const validate = ajv.getSchema(pointer)
  if (validate === undefined) return [`${path} has no schema`]
  if (validate(body) === true) return []
  return (validate.errors ?? []).map((error) => `${path}${error.instancePath} ${error.message}`)
}
