import { readBenchmarkSummary, readClientLabels } from '@svc/collector'
import type { Config } from '@svc/config'
import type { SourceId } from '@svc/core/service'
import { actionConditions, sourceRemedy } from '@svc/views/messages'
import { modeOf, OTHERS_READ, OTHERS_WRITE } from './file-mode.ts'
import { fail, ok, skip, type Verdict, type Verdicts, warn } from './finding.ts'

/** The files the configuration names besides key, auth files and store. */
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

/** The file holds client keys. */
async function labelsVerdict(path: string | null): Promise<Verdict> {
  const verdict = await fileVerdict(
    path,
    { source: 'client_labels', key: 'client_labels_file' },
    async (file) => `${(await readClientLabels(file)).size} names`,
  )
  if (path === null || verdict.status !== 'ok') return verdict
  const mode = (await modeOf(path)) ?? 0
  if ((mode & OTHERS_WRITE) !== 0)
    return fail(
      'writable_by_others',
      `others can write to ${path}, which holds client keys`,
      actionConditions.labels_file_readable_by_others.remedy,
    )
  return (mode & OTHERS_READ) === 0
    ? verdict
    : warn(
        'readable_by_others',
        `other users of this machine can read ${path}, which holds client keys`,
        actionConditions.labels_file_readable_by_others.remedy,
      )
}

/** What can be wrong with a readable file. */
const FILE_FAULTS = ['too_large', 'bad_payload'] as const

async function fileVerdict(
  path: string | null,
  { source, key }: { readonly source: SourceId; readonly key: string },
  read: (path: string) => Promise<string>,
): Promise<Verdict> {
  if (path === null) return skip(`${key} is not set`)
  try {
    return ok(`${path}: ${await read(path)}`)
  } catch (error) {
    // These name the place and never the content.
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
