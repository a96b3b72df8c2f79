/** Keeps the focus in its region when the element that has it leaves the page. */
import { useLayoutEffect, useRef } from "react"

/**
 * Returns the ref of an element. If it leaves the page with the focus, such as with the button that was pressed, the focus goes to the card
 * around it instead of the start of the page.
 */
export const useFocusHome = () => {
  const leaving = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = leaving.current
    const home = element?.parentElement?.closest("section, main")
    return () => {
      if (!(home instanceof HTMLElement) || element?.contains(document.activeElement) !== true) return
      home.tabIndex = -1
      home.focus({ preventScroll: true })
    }
  }, [])
  return leaving
}
