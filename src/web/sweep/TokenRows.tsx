/** Rows of tokens, of which those near the window are drawn, and the one with the focus. */
import { type FocusEvent, useMemo, useRef, useState } from "react"
import { slotsOf } from "./rowSlots.ts"
import { EDITOR_HEIGHT, ROW_HEIGHT, type RowActions, TokenRow } from "./TokenRow.tsx"
import type { Entry } from "./useSelection.ts"
import { offsetsOf, useVisibleRows } from "./useVisibleRows.ts"

export function TokenRows({
  actions,
  edited,
  entries,
  label
}: {
  readonly label: string
  readonly entries: ReadonlyArray<Entry>
  readonly edited: string | undefined
  readonly actions: RowActions
}) {
  const list = useRef<HTMLUListElement>(null)
  const [focused, setFocused] = useState<number>()
  const offsets = useMemo(
    () =>
      offsetsOf(
        entries.map(({ key, obstacle }) => ROW_HEIGHT + (key === edited && obstacle === undefined ? EDITOR_HEIGHT : 0))
      ),
    [entries, edited]
  )
  const { from, to } = useVisibleRows(list, offsets)
  const drawn = Array.from({ length: Math.min(to, entries.length) - from }, (_, index) => from + index)
  // A row that is removed would lose the focus to the page.
  if (focused !== undefined && focused < entries.length && !drawn.includes(focused)) drawn.push(focused)
  const slots = useRef<ReadonlyMap<string, number>>(new Map())
  slots.current = slotsOf(
    slots.current,
    drawn.flatMap((index) => entries[index]?.key ?? [])
  )
  const noteFocus = ({ target }: FocusEvent) => {
    const index = target.closest("li")?.getAttribute("data-index")
    setFocused(index == null ? undefined : Number(index))
  }
  return (
    <ul
      aria-label={label}
      className="relative"
      onBlur={() => setFocused(undefined)}
      onFocus={noteFocus}
      ref={list}
      style={{ height: offsets.at(-1) }}
    >
      {drawn.map((index) => {
        const entry = entries[index]
        return (
          entry !== undefined && (
            <li
              aria-posinset={index + 1}
              aria-setsize={entries.length}
              className="absolute inset-x-0 overflow-hidden border-b border-line"
              data-index={index}
              key={slots.current.get(entry.key)}
              style={{ top: offsets[index], height: (offsets[index + 1] ?? 0) - (offsets[index] ?? 0) }}
            >
              <TokenRow actions={actions} entry={entry} isEdited={edited === entry.key} />
            </li>
          )
        )
      })}
    </ul>
  )
}
