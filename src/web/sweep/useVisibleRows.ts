/**
 * Finds the rows of a long list that are near the window, so that a wallet of hundreds of tokens costs no more to draw than one of some
 * dozens. Rows have known heights. The page scrolls, not the list.
 */
import { type RefObject, useEffect, useState } from "react"

/** Shorter lists are drawn as a whole. */
const FEW = 24

/** Pixels above and below the window that are drawn, too. */
const MARGIN = 200

interface Range {
  readonly from: number
  readonly to: number
}

/** Offset of each row, and at last the height of all. */
export const offsetsOf = (heights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const offsets = [0]
  for (const height of heights) offsets.push((offsets.at(-1) ?? 0) + height)
  return offsets
}

/** First and last row that touches the pixels from `top` to `bottom`. */
export const rangeOf = (offsets: ReadonlyArray<number>, top: number, bottom: number): Range => {
  const count = offsets.length - 1
  const first = offsets.findIndex((offset) => offset > top)
  const end = offsets.findIndex((offset) => offset >= bottom)
  return { from: first === -1 ? count : Math.max(0, first - 1), to: end === -1 ? count : Math.max(0, end) }
}

/** Range of rows to draw: from the first to before the last. */
export const useVisibleRows = (list: RefObject<HTMLElement | null>, offsets: ReadonlyArray<number>): Range => {
  const count = offsets.length - 1
  const [range, setRange] = useState<Range>({ from: 0, to: FEW })
  useEffect(() => {
    if (count <= FEW) return
    let frame = 0
    const measure = () => {
      frame = 0
      if (list.current === null) return
      const top = -list.current.getBoundingClientRect().top
      const next = rangeOf(offsets, top - MARGIN, top + innerHeight + MARGIN)
      setRange((last) => (last.from === next.from && last.to === next.to ? last : next))
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener("scroll", later, { passive: true })
    addEventListener("resize", later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener("scroll", later)
      removeEventListener("resize", later)
    }
  }, [count, list, offsets])
  return count <= FEW ? { from: 0, to: count } : range
}
