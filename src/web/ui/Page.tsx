/** Frame of every page with title and actions. Sets the document's title too. */
import { type ReactNode, useEffect } from "react"

export interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ actions, children, description, title }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Sweep`
  }, [title])
  return (
    <div className="flex flex-col gap-5">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="truncate text-2xl font-semibold tracking-tight">{title}</h1>
          {description !== undefined && <p className="mt-0.5 text-muted">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
