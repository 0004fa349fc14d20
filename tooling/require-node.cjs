// Runs on any Node, however old, so it may use no newer syntax. Keep the range equal to "engines" in package.json.
var version = process.versions.node
var parts = version.split('.').map(Number)
var supported =
  (parts[0] === 20 && parts[1] >= 19) || (parts[0] === 22 && parts[1] >= 12) || parts[0] >= 24
if (!supported) {
  console.error(
    'svc-quota-monitor needs Node 20.19 or newer (20.19+, 22.12+ or 24+), not ' +
      version +
      ': install one from nodejs.org.',
  )
  process.exit(1)
}
