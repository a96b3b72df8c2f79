/** Notices and errors within the page, with an action. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { explain } from "./explain.ts"

export interface TroubleProps {
  readonly error: unknown
  readonly retry: () => unknown
  /** True during a retry. */
  readonly busy: boolean
}

export function Trouble({ busy, error, retry }: TroubleProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center" role="alert">
      <span className="grid size-10 place-items-center rounded-full bg-bad-soft text-bad">
        <Icon name="alert" size={20} />
      </span>
      <p className="mt-3 max-w-[26rem] font-medium">{explain(error)}</p>
      <Button busy={busy} className="mt-4" icon="refresh" onClick={() => void retry()}>
        Try again
      </Button>
    </div>
  )
}

const TONES = {
  info: "bg-accent-soft text-ink",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  good: "bg-good-soft text-good"
} as const

export interface BannerProps {
  readonly tone: keyof typeof TONES
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A notice. Errors interrupt a screen reader, and other notices wait. */
export function Banner({ action, children, tone }: BannerProps) {
  return (
    <div
      className={`flex flex-wrap items-start justify-between gap-x-4 gap-y-3 rounded-md px-3.5 py-3 ${TONES[tone]}`}
      role={tone === "bad" ? "alert" : "status"}
    >
      <div className="flex min-w-0 flex-1 basis-48 gap-2.5">
        <span className="mt-0.5">
          <Icon name={tone === "good" ? "check" : tone === "info" ? "lock" : "alert"} />
        </span>
        <div className="min-w-0 wrap-anywhere">{children}</div>
      </div>
      {action}
    </div>
  )
}
