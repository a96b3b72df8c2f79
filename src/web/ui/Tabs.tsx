/** Tabs (ARIA's tabs pattern), with arrow keys. */
import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { classes } from "../lib/classes.ts"

export interface Tab {
  readonly name: string
  readonly content: ReactNode
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: ReadonlyArray<Tab> }) {
  const [selected, setSelected] = useState(0)
  const id = useId()
  const step = (event: KeyboardEvent) => {
    const change = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (change === 0) return
    event.preventDefault()
    const next = (selected + change + tabs.length) % tabs.length
    setSelected(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div className="min-w-0">
      <div aria-label={label} className="flex gap-4 border-b border-line px-4 sm:px-5" onKeyDown={step} role="tablist">
        {tabs.map(({ name }, index) => (
          <button
            aria-controls={`${id}-panel`}
            aria-selected={index === selected}
            className={classes(
              "-mb-px h-10 border-b-2 font-medium",
              index === selected ? "border-accent text-ink" : "border-transparent text-muted hover:text-ink"
            )}
            id={`${id}-${index}`}
            key={name}
            onClick={() => setSelected(index)}
            role="tab"
            tabIndex={index === selected ? 0 : -1}
            type="button"
          >
            {name}
          </button>
        ))}
      </div>
      <div aria-labelledby={`${id}-${selected}`} id={`${id}-panel`} role="tabpanel">
        {tabs[selected]?.content}
      </div>
    </div>
  )
}
