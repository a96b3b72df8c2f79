/** A state as a word. The colour repeats it. */
import { classes } from "../lib/classes.ts"

export type Tone = "neutral" | "good" | "warn" | "bad" | "accent"

const TONES: Readonly<Record<Tone, string>> = {
  neutral: "bg-sunken text-muted",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent"
}

export function Badge({ children, tone = "neutral" }: { readonly children: string; readonly tone?: Tone }) {
  return (
    <span className={classes("inline-flex items-center rounded-sm px-1.5 py-0.5 text-xs font-medium", TONES[tone])}>
      {children}
    </span>
  )
}
