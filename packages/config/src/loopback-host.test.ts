import { expect, it } from 'vitest'
import { isOnThisMachine } from './loopback-host.ts'

it.each([
  ['http://127.0.0.1:8317', true],
  ['http://127.1', true],
  ['http://localhost', true],
  ['http://LOCALHOST.', true],
  ['http://proxy.localhost', true],
  ['http://[::1]', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://0.0.0.0', true],
  ['http://0', true],
  ['http://[::]', true],
  ['http://localhost.example', false],
  ['http://192.0.2.1', false],
  ['http://[2001:db8::1]', false],
  ['http://host.docker.internal', false],
])('%s is on this machine: %s', (url, isHere) => {
  expect(isOnThisMachine(new URL(url))).toBe(isHere)
})
