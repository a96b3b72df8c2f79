/** Placeholders for data that is loading, empty or failed to load. */
import type { ReactNode } from "react"
import { sentence } from "../api/failures.ts"
import { classes } from "../lib/classes.ts"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import { useFocusHome } from "./useFocusHome.ts"

export function Skeleton({ className = "h-5 w-full max-w-28" }: { readonly className?: string }) {
  return (
    <span aria-hidden="true" className={classes("pulse inline-block rounded-sm bg-sunken align-middle", className)} />
  )
}

export interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ action, children, icon, title }: EmptyStateProps) {
  const leaving = useFocusHome()
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center" ref={leaving}>
      <span className="grid size-10 place-items-center rounded-full bg-sunken text-muted">
        <Icon name={icon} size={20} />
      </span>
      <p className="mt-3 font-medium">{title}</p>
      {children !== undefined && <div className="mt-1 max-w-96 text-muted">{children}</div>}
      {action !== undefined && <div className="mt-4">{action}</div>}
    </div>
  )
}

export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => unknown }) {
  const leaving = useFocusHome()
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center" ref={leaving} role="alert">
      <span className="grid size-10 place-items-center rounded-full bg-bad-soft text-bad">
        <Icon name="alert" size={20} />
      </span>
      <p className="mt-3 max-w-96 font-medium">{sentence(error)}</p>
      {retry !== undefined && (
        <Button className="mt-4" icon="refresh" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </div>
  )
}

const NOTICE = {
  info: "border-line bg-accent-soft text-ink",
  warn: "border-line bg-warn-soft text-warn",
  bad: "border-line bg-bad-soft text-bad",
  good: "border-line bg-good-soft text-good"
} as const

/** A notice within a page. */
export function Notice({
  action,
  children,
  tone = "info"
}: {
  readonly tone?: keyof typeof NOTICE
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div
      className={classes("flex flex-wrap items-center justify-between gap-3 rounded-md border px-4 py-3", NOTICE[tone])}
      role={tone === "bad" ? "alert" : "status"}
    >
      <div className="min-w-0">{children}</div>
      {action}
    </div>
  )
}

/** Shown above data that an earlier request found, after a later one failed. The data stay, with what is typed beside them. */
export function StaleNotice({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  return (
    <Notice
      action={
        <Button icon="refresh" onClick={() => void retry()} small>
          Try again
        </Button>
      }
      tone="warn"
    >
      <p className="font-medium">This page could not be refreshed.</p>
      <p>{sentence(error)}</p>
    </Notice>
  )
}
