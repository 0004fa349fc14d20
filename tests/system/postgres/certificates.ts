import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate and its key as PEM texts, and the file of the authority that vouches for it. */
export interface Certified {
  readonly certificate: string
  readonly key: string
  readonly authorityFile: string
}

/** A certificate for a server at `address`, from an authority of its own, made in a folder. */
export function certified(folder: string, address: string): Certified {
  const file = (name: string) => join(folder, name)
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = ['-keyout', file('authority.key'), '-out', file('authority.crt')]
  openssl(...newKey, '-x509', '-days', '2', '-subj', '/CN=an authority', ...authority)
  openssl(...newKey, '-subj', '/CN=a server', '-keyout', file('key'), '-out', file('request'))
  writeFileSync(file('names'), `subjectAltName = ${address}\n`)
  const signed = ['-CA', file('authority.crt'), '-CAkey', file('authority.key'), '-CAcreateserial']
  const asked = ['-in', file('request'), '-out', file('certificate'), '-days', '2']
  openssl('x509', '-req', ...asked, ...signed, '-extfile', file('names'))
  return {
    certificate: readFileSync(file('certificate'), 'utf8'),
    key: readFileSync(file('key'), 'utf8'),
    authorityFile: file('authority.crt'),
  }
}
