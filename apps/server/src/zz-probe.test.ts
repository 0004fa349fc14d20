import { connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { sendRaw, serveShell } from './testing/raw-http.ts'
import { compileGuard } from './guards/host-origin-guard.ts'

const wait = (ms: number) => new Promise((r) => setTimeout(r, ms))
function halfOpen(port: number, bytes: string) {
  const s = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const st = { text: '', ended: false, closed: false, s }
  s.setEncoding('latin1'); s.on('data', (c: string) => { st.text += c }); s.on('end', () => { st.ended = true }); s.on('close', () => { st.closed = true }); s.on('error', (e) => { st.text += `<${(e as any).code}>`; st.closed = true })
  s.write(bytes)
  return st
}
it('half-open after 408/431/400', async () => {
  const served = await serveShell({}, { headerMs: 500, requestMs: 1000, stopMs: 1000 })
  const a = halfOpen(served.port, 'GET / HTTP/1.1\r\nHos')
  const b = halfOpen(served.port, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17000)}\r\n\r\n`)
  const c = halfOpen(served.port, `\x00\x01garbage\r\n\r\n`)
  await wait(6000)
  for (const [n, x] of [['408', a], ['431', b], ['400', c]] as const) { let w = 'writable'; x.s.write('zz', (e) => { if (e) w = String((e as any).code) }); await wait(200); console.log(n, x.text.slice(0, 30).replace(/\r\n.*/s,''), 'ended', x.ended, 'closed', x.closed, w) }
  const t = performance.now()
  await Promise.race([served.http.stop(), wait(8000)])
  console.log('stop took', Math.round(performance.now() - t))
  for (const x of [a, b, c]) x.s.destroy()
}, 30000)
it('expect other', async () => {
  const served = await serveShell()
  console.log((await sendRaw(served.port, 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nExpect: foo\r\n\r\n')).text)
  console.log((await sendRaw(served.port, 'HEAD /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n')).text)
  console.log((await sendRaw(served.port, 'HEAD /nope HTTP/1.1\r\nHost: localhost\r\n\r\n')).text)
  console.log((await sendRaw(served.port, 'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: *\r\n\r\n')).text)
  for (const m of ['TRACE','PROPFIND','QUERY','PURGE','CONNECT','OPTIONS','M-SEARCH']) console.log(m, (await sendRaw(served.port, `${m} /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`)).status)
  console.log('pipelined metrics+garbage:', (await sendRaw(served.port, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\x00garbage\r\n\r\n')).text.slice(0, 60))
  console.log('upgrade', (await sendRaw(served.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')).status)
  await served.http.stop()
})
it('squat ::1', async () => {
  const sq = createServer(); await new Promise<void>((r) => sq.listen(0, '::1', r)); const port = (sq.address() as any).port
  const served = await serveShell()
  console.log('squatted:', await served.http.listen('localhost', port).then((u) => u, (e) => String(e)))
  await served.http.stop(); sq.close()
})
it('order', () => {
  const g = compileGuard({ allowedHosts: [], listenHost: '127.0.0.1' })
  const j = (modes: string[]) => g({ rawHeaders: ['Host', 'localhost', 'Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Dest', 'document', ...modes.flatMap((m) => ['Sec-Fetch-Mode', m])], method: 'GET', url: '/', localAddress: '127.0.0.1' }).allowed
  console.log(j(['navigate', 'cors']), j(['cors', 'navigate']))
  console.log(g({ rawHeaders: ['Host', 'localhost'], method: 'GET', url: 'http://localhost//evil', localAddress: '' }))
  const cost = (label: string, cfg: any, rawHeaders: string[], localAddress: string) => { const gg = compileGuard(cfg); const r = { rawHeaders, method: 'GET', url: '/api/v1/health', localAddress }; for (let i = 0; i < 1e5; i++) gg(r); const b = process.cpuUsage(); for (let i = 0; i < 2e5; i++) gg(r); const u = process.cpuUsage(b); console.log(label, ((u.user + u.system) / 2e5).toFixed(2), 'us', gg(r).allowed) }
  const br = ['User-Agent', 'x', 'Accept', '*/*', 'Accept-Encoding', 'gzip', 'Sec-Fetch-Site', 'same-origin', 'Sec-Fetch-Mode', 'cors', 'Sec-Fetch-Dest', 'empty']
  const lo = { allowedHosts: [], listenHost: '127.0.0.1' }
  cost('plain', lo, ['Host', 'localhost:4515'], '127.0.0.1')
  cost('name origin', lo, ['Host', 'localhost:4515', ...br, 'Origin', 'http://localhost:4515'], '127.0.0.1')
  cost('v6 origin', lo, ['Host', '[::1]:4515', ...br, 'Origin', 'http://[::1]:4515'], '::1')
  cost('dual-stack literal', { allowedHosts: [], listenHost: '::' }, ['Host', '192.168.1.5:4515', ...br], '::ffff:192.168.1.5')
  cost('v6 literal + origin', { allowedHosts: [], listenHost: '::' }, ['Host', '[fd00::5]:4515', ...br, 'Origin', 'http://[fd00::5]:4515'], 'fd00::5')
})
