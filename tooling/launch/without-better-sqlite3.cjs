// Loaded before a test of the store over the SQLite of Node: better-sqlite3 is as if it were not installed.
const Module = require('node:module')
const load = Module._load
Module._load = function (request, ...rest) {
  if (request === 'better-sqlite3')
    throw Object.assign(new Error('better-sqlite3 is hidden'), { code: 'MODULE_NOT_FOUND' })
  return load.call(this, request, ...rest)
}
