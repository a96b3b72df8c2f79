/** Parts that every list of sweeps has. */
import type { Intent } from "../../sdk/index.ts"
import type { Tone } from "../ui/Badge.tsx"
import { isUnknown } from "./submissions.ts"

/** State of an intent, in words. */
export const BADGES: Readonly<Record<string, readonly [tone: Tone, text: string]>> = {
  quoted: ["accent", "Submitting"],
  submitted: ["accent", "On its way"],
  settled_source: ["accent", "Settled, arriving"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"]
}

/** State of an intent as this browser knows it, in words. */
export const badgeOf = (intent: Intent): readonly [tone: Tone, text: string] => {
  if (isUnknown(intent)) return ["neutral", "Not known"]
  if (intent.status === "submitted" && intent.pendingFailureReason !== undefined) return ["warn", "May fail"]
  return BADGES[intent.status] ?? ["accent", "On its way"]
}

/** Parts of the sweep that are delivered and failed. The text beside it says the same. */
export function Bar({
  all,
  delivered,
  failed
}: {
  readonly all: number
  readonly delivered: number
  readonly failed: number
}) {
  return (
    <div aria-hidden="true" className="flex h-2 overflow-hidden rounded-full bg-sunken">
      <span className="bg-good transition-[width]" style={{ width: `${(delivered / all) * 100}%` }} />
      <span className="bg-bad-fill transition-[width]" style={{ width: `${(failed / all) * 100}%` }} />
    </div>
  )
}
