import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { commandNames } from './command-table.ts'
import { cli } from './testing/run-for-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-completion-'))
writeFileSync(join(folder, 'notes.log'), '')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Words that a shell offers for the end of each line. */
type Offers = (script: string, lines: readonly string[]) => readonly (readonly string[])[]

const LINES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['svc-quota-monitor ', commandNames.slice(1)],
  ['sqm pi', ['pick']],
  ['sqm --state-db-re', ['--state-db-replica']],
  ['sqm accounts --form', ['--format']],
  ['sqm accounts --format ', ['table', 'names', 'json', 'csv']],
  ['sqm guard --json --window ', ['5h', 'day', 'week', 'month']],
  ['sqm init gra', ['grafana']],
  ['sqm help pri', ['print-config']],
  ['sqm completion ', ['bash', 'zsh', 'fish']],
  ['sqm redact no', ['notes.log']],
  ['sqm pick --config no', ['notes.log']],
  ['sqm events no', []],
]

const bash: Offers = (script, lines) => {
  const harness = `source ${script}
complete -p sqm | grep -q -- '-o default' || exit 9
compopt() { files=no; }
while read -r -a COMP_WORDS; do
  [[ \${COMP_WORDS[-1]} == '""' ]] && COMP_WORDS[-1]=''
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )) files=yes
  _svc_quota_monitor
  if [[ $files == yes ]]; then COMPREPLY=($(compgen -f -- "\${COMP_WORDS[-1]}")); fi
  echo "\${COMPREPLY[*]}"
done`
  const input = lines.map((line) => `${line.replace(/ $/, ' ""')}\n`).join('')
  const { stdout } = run('bash', ['--norc', '-c', harness], input)
  return stdout.split('\n').slice(0, -1).map(wordsOf)
}

const fish: Offers = (script, lines) => {
  const each = `source ${script}
while read -l line
  echo (complete -C $line | string replace -r '\\t.*' '')
end`
  const { stdout } = run(
    'fish',
    ['--no-config', '-c', each],
    lines.map((line) => `${line}\n`).join(''),
  )
  return stdout.split('\n').slice(0, -1).map(wordsOf)
}

/** Types the lines into a shell of their own, and notes what reaches `compadd`. */
const zsh: Offers = (script, lines) => {
  const harness = join(folder, 'typed.zsh')
  writeFileSync(
    harness,
    `zmodload zsh/zpty
while read -r line; do
  rm -f offered; touch offered
  zpty shell zsh -f -i
  zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D -u; source ${script}'
  zpty -w shell 'compadd() {
    if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
      local -a found; builtin compadd -O found "$@"; print -rl -- $found >>offered
    fi
    builtin compadd "$@"
  }'
  zpty -w shell "finished() { print END >>offered }; comppostfuncs=(finished); bindkey '^I' complete-word"
  zpty -w -n shell "\${line%.}"$'\\t'
  until [[ "$(tail -n 1 offered)" == END ]]; do sleep 0.05; done
  zpty -d shell
  print -r -- \${(f)"$(grep -v END offered)"}
done
`,
  )
  // A dot keeps the blank at the end of a line.
  const { stdout } = run('zsh', ['-f', harness], lines.map((line) => `${line}.\n`).join(''))
  return stdout.split('\n').slice(0, -1).map(wordsOf)
}

const wordsOf = (line: string) => line.split(' ').filter((word) => word !== '')

function run(shell: string, args: readonly string[], input: string) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm' }
  return spawnSync(shell, args, { input, cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
}

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await cli(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const path = join(folder, `script.${shell}`)
  writeFileSync(path, stdout)
  return path
}

describe.each(Object.entries({ bash, zsh, fish }))('completions of %s', (shell, offers) => {
  const isThere = spawnSync(shell, ['--version']).status === 0
  it.skipIf(!isThere)(
    `offer commands, flags, values and files${isThere ? '' : `: skipped, because ${shell} is not installed`}`,
    async () => {
      const offered = offers(
        await scriptFor(shell),
        LINES.map(([line]) => line),
      )

      expect(offered.map((words) => [...words].sort())).toEqual(
        LINES.map(([, words]) => [...words].sort()),
      )
    },
  )
})

it.each([[[]], [['tcsh']], [['toString']]])('completion %j names the shells', async (argv) => {
  expect(await cli(['completion', ...argv])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc-quota-monitor: completion needs a shell: bash, zsh, fish\n',
  })
})
