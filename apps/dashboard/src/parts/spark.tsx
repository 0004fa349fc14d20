const WIDTH = 100
const HEIGHT = 22

/** The course of one line, on a scale of its own. */
export function Spark({ values }: { readonly values: readonly number[] }) {
  const largest = Math.max(...values, 1)
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)} ${(HEIGHT - 1 - (value / largest) * (HEIGHT - 3)).toFixed(1)}`,
  )
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={`M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}Z`} />
      <path class="line" d={`M${points.join('L')}`} />
    </svg>
  )
}
