/** Work that follows from an input, after the input itself is painted. */
import { useEffect, useRef, useState } from "react"

/** Runs work once the next frame is painted. Returns a function that cancels it. */
export const afterPaint = (work: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** The value, once the frame that first had it is painted. Values in between are left out. */
export const usePainted = <A>(value: A): A => {
  const [painted, setPainted] = useState(value)
  useEffect(() => afterPaint(() => setPainted(value)), [value])
  return painted
}

/** A choice that is painted when it is pressed, and acted on after that. Of two that are pressed before a frame, each is acted on. */
export const usePressed = <A>(value: A, act: (value: A) => void): readonly [shown: A, press: (value: A) => void] => {
  const [pressed, setPressed] = useState<{ readonly value: A }>()
  const last = useRef(0)
  const press = (next: A) => {
    const number = ++last.current
    setPressed({ value: next })
    afterPaint(() => {
      act(next)
      if (number === last.current) setPressed(undefined)
    })
  }
  return [pressed === undefined ? value : pressed.value, press]
}
