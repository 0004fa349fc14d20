/** Takes the place of `node:module` in the executable, beside which there are no packages: the driver of PostgreSQL is in it. */
exports.createRequire = () => (name) => {
  if (name === 'pg') return require('pg')
  throw Object.assign(new Error(`${name} is not in the executable`), { code: 'MODULE_NOT_FOUND' })
}
