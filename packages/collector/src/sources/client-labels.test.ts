import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readClientLabels } from './client-labels.ts'

const folder = mkdtempSync(join(tmpdir(), 'client-labels-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function aFile(text: string): string {
  const path = join(folder, 'labels.json')
  writeFileSync(path, text)
  return path
}

describe('readClientLabels', () => {
  it.each([
    [
      '{"clients": [\n  {"apiName": "canary",\n  "label": "A"},\n]}',
      'client-label file, line 4: no valid JSON',
    ],
    [
      '{"clients": [\n{"apiName": "canary", "label": "A"},\n\n{"apiName": "canary", "label": 7}]}',
      'client-label file, line 4: clients.1.label is not as it must be',
    ],
    [
      '\ufeff{"other": [1, 2],\n"clients": [\n{"label": "A"}]}',
      'client-label file, line 3: clients.0 needs one of apiName and api_name',
    ],
    [
      '{"clients":\n[{"apiName": "canary", "label": "\\u0007"}]}',
      'client-label file, line 2: clients.0.label shows nothing',
    ],
    ['{"client": []}', 'client-label file: it must be {"clients": [{"apiName": '],
    ['{"sk-canary": "A"}', 'client-label file: it must be {"clients": [{"apiName": '],
    ['7', 'client-label file: it must be {"clients": [{"apiName": '],
    ['\u0000{\u0000}\u0000', 'the client-label file is UTF-16; save it as UTF-8'],
  ])('%j is refused by line', async (text, message) => {
    await expect(readClientLabels(aFile(text))).rejects.toThrow(message)
  })

  it('reads both spellings of the name', async () => {
    const { byName } = await readClientLabels(
      aFile('{"clients": [{"apiName": "a", "label": "A"}, {"api_name": "b", "label": "A"}]}'),
    )

    expect([...byName.values()]).toEqual(['A', 'A'])
  })

  it.each([
    ['"A"', null, 'A'],
    ['"B"', 'line 3', 'B'],
  ])('says where a name gets a second label: %s', async (label, relabelledAt, counts) => {
    const file = await readClientLabels(
      aFile(
        `{"clients": [\n{"apiName": "a", "label": "A"},\n{"api_name": "a", "label": ${label}}]}`,
      ),
    )

    expect(file.relabelledAt).toBe(relabelledAt)
    expect([...file.byName.values()]).toEqual([counts])
  })
})
