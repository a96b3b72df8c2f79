/**
 * Finds the rows of a long list that are near the window, so that a wallet of hundreds of tokens costs no more to draw than one of some
 * dozens. Rows have known heights. The page or an element of the embedding app scrolls, not the list.
 */
import { type RefObject, useEffect, useState } from "react"
import { afterPaint } from "../lib/usePainted.ts"

/** Shorter lists are drawn as a whole. */
const FEW = 24

/** Pixels above and below the window that are drawn too, once those inside are painted. */
const MARGIN = 200

/** Pixels of the list that are inside the window before that is known. */
const FIRST = 600

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

const isSame = (a: Range, b: Range): boolean => a.from === b.from && a.to === b.to

/** Range of rows to draw: from the first to before the last. */
export const useVisibleRows = (list: RefObject<HTMLElement | null>, offsets: ReadonlyArray<number>): Range => {
  const count = offsets.length - 1
  /** Pixels of the list between which it is seen. */
  const [seen, setSeen] = useState({ top: 0, bottom: FIRST })
  /** Number of rows of the list whose rows outside the window are drawn, too. */
  const [wide, setWide] = useState<number>()
  const margin = wide === count ? MARGIN : 0
  useEffect(() => {
    if (count <= FEW) return
    let frame = 0
    const drawn = ({ bottom, top }: typeof seen) => rangeOf(offsets, top - margin, bottom + margin)
    const measure = () => {
      frame = 0
      if (list.current === null) return
      const top = -list.current.getBoundingClientRect().top
      const next = { top, bottom: top + innerHeight }
      setSeen((last) => (isSame(drawn(last), drawn(next)) ? last : next))
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    // The scroll event of an element does not bubble.
    addEventListener("scroll", later, { passive: true, capture: true })
    addEventListener("resize", later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener("scroll", later, { capture: true })
      removeEventListener("resize", later)
    }
  }, [count, list, margin, offsets])
  useEffect(() => afterPaint(() => setWide(count)), [count])
  return count <= FEW ? { from: 0, to: count } : rangeOf(offsets, seen.top - margin, seen.bottom + margin)
}
