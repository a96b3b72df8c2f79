/** One page of a list at a time, with buttons to the next and the previous one, so that no list makes a page slow. */
import { type ReactNode, useState } from "react"
import { classes } from "../../lib/classes.ts"
import { Button } from "../../ui/Button.tsx"

/** Cursors of the pages up to the shown one. Another list begins with its first page. */
export const usePageCursor = (list: string) => {
  const [at, setAt] = useState<{ readonly list: string; readonly cursors: ReadonlyArray<string> }>({
    list,
    cursors: []
  })
  const cursors = at.list === list ? at.cursors : []
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    next: (cursor: string) => setAt({ list, cursors: [...cursors, cursor] }),
    previous: () => setAt({ list, cursors: cursors.slice(0, -1) })
  }
}

/** Rows of the filters or the page before, pale until those that were asked for arrive. */
export function Rows({ children, isLoading }: { readonly isLoading: boolean; readonly children: ReactNode }) {
  return (
    <div aria-busy={isLoading} className={classes(isLoading && "opacity-60")}>
      {children}
    </div>
  )
}

export interface PageButtonsProps {
  readonly pages: ReturnType<typeof usePageCursor>
  readonly nextCursor: string | undefined
  readonly isLoading: boolean
}

/** Nothing for a list of one page. */
export function PageButtons({ isLoading, nextCursor, pages }: PageButtonsProps) {
  if (pages.number === 1 && nextCursor === undefined) return null
  // Disabled buttons would lose the focus, so they stay focusable.
  const isFirst = pages.number === 1
  const isLast = nextCursor === undefined
  return (
    <nav aria-label="Pages" className="flex items-center justify-center gap-3 border-t border-line p-3">
      <Button aria-disabled={isFirst} onClick={() => !isFirst && pages.previous()} small>
        Previous
      </Button>
      <span aria-live="polite" className="text-sm text-muted tabular-nums">
        Page {pages.number.toLocaleString()}
      </span>
      <Button aria-disabled={isLast} busy={isLoading} onClick={() => !isLast && pages.next(nextCursor)} small>
        Next
      </Button>
    </nav>
  )
}
