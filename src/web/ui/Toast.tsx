/** A short message that disappears by itself. Screen readers read it out. */
import { useSyncExternalStore } from "react"
import { sentence } from "../api/failures.ts"
import { classes } from "../lib/classes.ts"
import { Icon } from "./Icon.tsx"

interface ToastMessage {
  readonly id: number
  readonly tone: "good" | "bad"
  readonly text: string
}

const SHOWN_MILLIS = 6_000

let messages: ReadonlyArray<ToastMessage> = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<ToastMessage>): void => {
  messages = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number): void => change(messages.filter((message) => message.id !== id))

const show = (tone: ToastMessage["tone"], text: string): void => {
  lastId += 1
  const id = lastId
  change([...messages, { id, tone, text }])
  setTimeout(() => dismiss(id), SHOWN_MILLIS)
}

export const toast = {
  done: (text: string) => show("good", text),
  failed: (error: unknown) => show("bad", sentence(error))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2">
      {shown.map(({ id, text, tone }) => (
        <div
          className="pointer-events-auto flex max-w-96 items-center gap-3 rounded-md border border-line bg-raised py-2.5 pr-2 pl-3.5 shadow-float"
          key={id}
        >
          <span className={classes(tone === "good" ? "text-good" : "text-bad")}>
            <Icon name={tone === "good" ? "check" : "alert"} />
          </span>
          <span className="min-w-0 flex-1">{text}</span>
          <button
            aria-label="Dismiss"
            className="rounded-sm p-1 text-muted hover:text-ink"
            onClick={() => dismiss(id)}
            type="button"
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}
