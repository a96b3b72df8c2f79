/**
 * Elements of drawn rows. A row that leaves the window lends its element to one that comes into it, because the browser then changes some
 * texts instead of making all the elements of a row. Pure.
 */

/**
 * The element of each drawn row, as a number, by the row's key. A row that stays keeps its own, and so the focus.
 *
 * @param before - those of the last drawing
 * @param keys - of the rows to draw
 */
export const slotsOf = (
  before: ReadonlyMap<string, number>,
  keys: ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  const stay = new Set(keys)
  const free = [...before].flatMap(([key, slot]) => (stay.has(key) ? [] : [slot])).toReversed()
  let unused = Math.max(-1, ...before.values()) + 1
  return new Map(keys.map((key) => [key, before.get(key) ?? free.pop() ?? unused++]))
}
