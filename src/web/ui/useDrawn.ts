/** Draws a long list in steps, between which the page answers its user. */
import { useEffect, useState } from "react"

/** Rows of the first step, which fill a screen. */
const FIRST = 15

const STEP = 12

/** Number of rows to draw, up to all of them. */
export const useDrawn = (count: number): number => {
  const [drawn, setDrawn] = useState(FIRST)
  useEffect(() => {
    if (drawn >= count) return
    // A frame is painted before the next step.
    const timer = setTimeout(() => setDrawn(drawn + STEP))
    return () => clearTimeout(timer)
  }, [count, drawn])
  return Math.min(drawn, count)
}
