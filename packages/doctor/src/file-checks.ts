import { readBenchmarkSummary, readClientLabels } from '@svc/collector'
import type { Config } from '@svc/config'
import type { SourceId } from '@svc/core/service'
import { isUntrusted, readSecretFile } from '@svc/secret-files'
import { actionConditions, sourceRemedy } from '@svc/views/messages'
import { type CheckVerdict, fail, ok, refusedFile, skip, type Verdicts, warn } from './finding.ts'

export async function fileChecks(config: Config): Promise<Verdicts> {
  return {
    client_labels: await labelsVerdict(config.usage.clientLabelsFile),
    benchmark: await fileVerdict(
      config.benchmark.benchmarkSummary,
      { source: 'benchmark', key: 'benchmark_summary' },
      async (path) => {
        const { generatedAt } = await readBenchmarkSummary(path)
        return generatedAt === null ? 'readable, without a time' : 'readable'
      },
    ),
  }
}

/** Verdict on the labels file. Never quotes content, because the file contains client keys. */
async function labelsVerdict(path: string | null): Promise<CheckVerdict> {
  let relabelledAt: string | null = null
  const verdict = await fileVerdict(
    path,
    { source: 'client_labels', key: 'client_labels_file' },
    async (file) => {
      const labels = await readClientLabels(file)
      relabelledAt = labels.relabelledAt
      return `${labels.byName.size} names`
    },
  )
  if (path === null) return verdict
  const seen = await readSecretFile(path)
  if (seen.kind === 'problem')
    return isUntrusted(seen.reason) ? refusedFile(seen.reason, path, 'client_labels_file') : verdict
  if (relabelledAt !== null)
    return warn(
      'two_labels',
      `${path}, ${relabelledAt}: an API name that has another label before; the last one counts`,
      'Remove one of the two.',
    )
  return verdict.status === 'ok' && seen.readableByOthers
    ? warn(
        'readable_by_others',
        `other users of this machine can read ${path}, which holds client keys`,
        actionConditions.labels_file_readable_by_others.remedy,
      )
    : verdict
}

const FILE_FAULTS = ['too_large', 'bad_payload'] as const

async function fileVerdict(
  path: string | null,
  { source, key }: { readonly source: SourceId; readonly key: string },
  read: (path: string) => Promise<string>,
): Promise<CheckVerdict> {
  if (path === null) return skip(`${key} is not set`)
  try {
    return ok(`${path}: ${await read(path)}`)
  } catch (error) {
    // SourceError messages name the place, never the content.
    const known =
      error instanceof Error && error.name === 'SourceError' && 'code' in error ? error : null
    const code = FILE_FAULTS.find((fault) => fault === known?.code) ?? 'file_unreadable'
    return fail(
      code,
      `${path}: ${known?.message ?? 'it cannot be read'}`,
      sourceRemedy(source, code),
    )
  }
}
