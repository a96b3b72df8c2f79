/** Work that follows from an input, after the input itself is painted. */
import { useEffect, useState } from "react"

/** The value, once the frame that first had it is painted. Values in between are left out. */
export const usePainted = <A>(value: A): A => {
  const [painted, setPainted] = useState(value)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(value))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [value])
  return painted
}
