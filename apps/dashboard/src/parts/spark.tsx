const WIDTH = 100
const HEIGHT = 22

/** A single line on its own scale, with a gap for unknown values. */
export function Spark({ values }: { readonly values: readonly (number | null)[] }) {
  const largest = Math.max(...values.map((value) => value ?? 0), 1)
  const step = WIDTH / Math.max(1, values.length - 1)
  const stretches: { readonly x: string; readonly y: string }[][] = [[]]
  for (const [index, value] of values.entries()) {
    if (value === null) stretches.push([])
    else
      stretches.at(-1)?.push({
        x: (index * step).toFixed(1),
        y: (HEIGHT - 1 - (value / largest) * (HEIGHT - 3)).toFixed(1),
      })
  }
  const drawn = stretches.filter(({ length }) => length > 0)
  const lines = drawn.map((points) => points.map(({ x, y }) => `${x} ${y}`).join('L'))
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        class="area"
        d={drawn
          .map(
            (points, index) =>
              `M${points[0]?.x} ${HEIGHT}L${lines[index]}L${points.at(-1)?.x} ${HEIGHT}Z`,
          )
          .join('')}
      />
      <path class="line" d={lines.map((line) => `M${line}`).join('')} />
    </svg>
  )
}
