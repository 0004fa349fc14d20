/** An example with two keys of one client, and one of another. */
export function clientLabels(): string {
  const clients = [
    { apiName: 'client-key-of-ana', label: "Ana's laptop" },
    { apiName: 'second-key-of-ana', label: "Ana's laptop" },
    { apiName: 'client-key-of-ci', label: 'CI runners' },
  ]
  return `${JSON.stringify({ clients }, null, 2)}\n`
}
