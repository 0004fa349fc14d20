/** End of a sticky expression's match at this place; null without a match. */
export function matchEnd(expression: RegExp, text: string, at: number): number | null {
  expression.lastIndex = at
  return expression.test(text) ? expression.lastIndex : null
}
