import { describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { dockerfile } from './container.ts'

/** The instructions of a container file by stage, with continued lines joined; the part before the first stage comes first. */
function stages(): readonly (readonly string[])[] {
  const instructions = dockerfile(anInstallation())
    .replace(/\\\n/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return instructions.reduce<string[][]>(
    (all, line) => {
      if (line.startsWith('FROM ')) all.push([])
      all.at(-1)?.push(line)
      return all
    },
    [[]],
  )
}

describe('the container file', () => {
  it('starts each stage from one Debian image of a named release', () => {
    const [before, ...all] = stages()

    expect(before).toEqual([expect.stringMatching(/^ARG BASE=debian:\d+\.\d+-slim$/)])
    expect(all.map(([from]) => from)).toEqual([`FROM \${BASE} AS build`, `FROM \${BASE}`])
  })

  it("takes everything else from Debian's and npm's packages and the package beside it", () => {
    const all = stages().flat()
    const commands = all
      .filter((line) => line.startsWith('RUN '))
      .flatMap((line) => line.slice('RUN '.length).split(/\s*&&\s*/))

    expect(
      new Set(commands.map((command) => command.replace(/^\w+=\S+ /, '').split(' ')[0])),
    ).toEqual(new Set(['apt-get', 'npm', 'node', 'mkdir', 'rm']))
    expect(all.join('\n')).not.toMatch(/curl|wget|\bADD\b|https?:\/\/(?!127\.0\.0\.1)/)
    expect(all.filter((line) => line.startsWith('COPY '))).toEqual([
      expect.stringMatching(/^COPY svc-quota-monitor-[\d.]+\.tgz \.$/),
      'COPY --from=build /app/node_modules /app/node_modules',
      expect.stringMatching(/^COPY --from=build --chown=(\d+):\1 \/state \/state$/),
    ])
  })

  it('has a compiler in the first stage alone, and fails there without SQLite', () => {
    const [, build = [], last = []] = stages()
    const text = build.join('\n')

    for (const tool of ['g++', 'make', 'python3', 'libnode-dev', 'npm'])
      expect(text).toContain(` ${tool}`)
    expect(text).toContain(`node -e "new (require('better-sqlite3'))(':memory:').close()"`)
    expect(last.filter((line) => line.startsWith('RUN ')).join()).not.toMatch(
      /g\+\+|make|python|-dev|npm/,
    )
  })

  it('runs as a user by number who is not root, listens and is asked on loopback for its health', () => {
    const last = stages().at(-1) ?? []
    const instruction = (name: string) => last.find((line) => line.startsWith(`${name} `)) ?? ''

    expect(Number(/^USER (\d+):\1$/.exec(instruction('USER'))?.[1])).toBeGreaterThan(60_000)
    expect(instruction('HEALTHCHECK')).toMatch(
      / CMD \["\/usr\/bin\/node", "-e", "fetch\('http:\/\/127\.0\.0\.1:4515\/healthz'\)/,
    )
    expect(JSON.parse(instruction('ENTRYPOINT').slice('ENTRYPOINT '.length))).toEqual([
      '/usr/bin/node',
      '--disable-proto=delete',
      '/app/node_modules/svc-quota-monitor/dist/main.js',
    ])
    // An instruction after USER cannot run as root.
    expect(last.indexOf(instruction('USER'))).toBeGreaterThan(
      last.findLastIndex((line) => /^(?:RUN|COPY) /.test(line)),
    )
  })
})
